import { randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { expect, test, vi } from 'vitest';
import { openDatabase } from '../../storage-adapters/sqlite/database.ts';
import { expectNoTrace } from '../helpers/plain-sentence.ts';
import { restoredTranscript } from '../helpers/restored.ts';
import { statePath } from '../helpers/store-file.ts';
import { createWorkplace } from '../helpers/workplace.ts';

test('a capture that needs longer than the time box goes on in the background; the next commit owns the context whole', async () => {
  using work = createWorkplace();
  const session = work.session();
  for (let megabytes = 0; megabytes < 60; megabytes += 1) session.say(randomBytes(500_000).toString('hex'));
  const { stderr } = work.commit(undefined, { CC_CONTEXT_TIMEOUT: '0.35' });
  expectNoTrace(stderr);
  expect(stderr).toContain(
    'cc-context: the capture needs more than 0.35 s and goes on in the background; the next commit will own the context.',
  );
  expect(work.contexts()).toEqual([]);
  const read = () => {
    const database = openDatabase(statePath(work), { timeout: 5000, durable: false });
    const row = database.prepare('SELECT value FROM progress WHERE path = ?').get(session.path);
    database.close();
    return row === undefined ? 0 : (JSON.parse(row['value'] as string) as { offset: number }).offset;
  };
  await vi.waitUntil(() => read() === readFileSync(session.path).length, { timeout: 50_000, interval: 100 });
  work.commit();
  expect(restoredTranscript(work).equals(readFileSync(session.path))).toBe(true);
  expect(work.dirt()).toBe('');
}, 120_000);

test('CC_CONTEXT=0 captures nothing and says nothing; the next commit has it all', () => {
  using work = createWorkplace();
  const session = work.session();
  session.say('the question');
  work.commit();
  session.say('and on');
  expect(work.commit(undefined, { CC_CONTEXT: '0' }).stderr).toBe('');
  expect(work.contexts()).toEqual([]);
  work.commit();
  expect(restoredTranscript(work).equals(readFileSync(session.path))).toBe(true);
});
