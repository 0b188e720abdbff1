import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { expect, test, vi } from 'vitest';
import { hasZstd, parseEnvelope } from '../../src/core/envelope.ts';
import { noted } from '../helpers/ownership.ts';
import { createWorkplace, type Workplace } from '../helpers/workplace.ts';

test('what the shim asks Git ahead is not asked again by node', async () => {
  using work = createWorkplace();
  const session = work.session();
  session.say('one');
  work.commit();
  await noted(work);
  session.say('two');
  work.write('file.txt', 'two\n');
  work.git('add', 'file.txt');
  const ran = work.run(join(work.dir, '.git/cc-context/hooks/pre-commit'), [], { env: { GIT_TRACE: join(work.dir, 'trace') } });
  expect(ran.stderr).toContain('Captured Claude context');
  const asked = readFileSync(join(work.dir, 'trace'), 'utf8').match(/(?<=built-in: git ).*/g) ?? [];
  expect(asked.length).toBeGreaterThan(7);
  expect(asked.length).toBe(new Set(asked).size);
});

/** How the chunks of the store are kept. */
function kept(work: Workplace): { loose: boolean; base: string | null }[] {
  using store = new DatabaseSync(join(work.home, '.local/share/cc-context/store.db'), { readOnly: true });
  const rows = store.prepare("SELECT key, bytes FROM object WHERE key LIKE 'blobs/%' ORDER BY rowid").all();
  return rows.map(({ key, bytes }) => parseEnvelope(Buffer.from(bytes as Uint8Array), key as string));
}

test.runIf(hasZstd)('what a commit adds is packed once the commit is done, also that of an aborted one', async () => {
  using work = createWorkplace();
  const session = work.session();
  session.say('one');
  work.commit();
  session.say('two');
  work.write('file.txt', 'aborted\n');
  expect(work.run('git', ['commit', '-a', '-m', '']).code).toBe(1);
  expect(kept(work).map(({ loose }) => loose)).toEqual([false, true]);
  session.say('three');
  work.commit();
  await vi.waitUntil(() => kept(work).every(({ loose }) => !loose), { timeout: 20_000, interval: 50 });
  expect(kept(work).map(({ loose, base }) => [loose, base !== null])).toEqual([
    [false, false],
    [false, true],
    [false, true],
  ]);
});
