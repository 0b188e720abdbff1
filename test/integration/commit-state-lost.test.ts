import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { expectCaptured, noted } from '../helpers/ownership.ts';
import { createWorkplace } from '../helpers/workplace.ts';

test('the local state was deleted: what the history has of a session is read from its snapshot files', async () => {
  using work = createWorkplace();
  const session = work.session();
  for (const prompt of ['one', 'two']) {
    session.say(prompt);
    expectCaptured(work, work.commit(), [session]);
    await noted(work);
  }
  for (const file of ['state.db', 'state.db-wal', 'state.db-shm'])
    rmSync(join(work.dir, '.git/cc-context', file), { force: true });
  session.say('three');
  const context = expectCaptured(work, work.commit(), [session]);
  expect(context).toMatchObject({ sessions: [{ message_count: 6, new_messages: 2, continued_from_parent: true }] });
});

test('a session that commits in two clones goes on from what the clone has', () => {
  using work = createWorkplace();
  const session = work.session();
  const agent = { CLAUDE_CODE_SESSION_ID: session.id };
  session.say('one');
  expectCaptured(work, work.commit('one', agent), [session]);
  const cwd = join(work.dir, '../clone');
  work.git('clone', '--quiet', '.', cwd);
  expect(work.cc('init', '-C', cwd).code).toBe(0);
  session.say('two');
  work.write('../clone/file.txt', 'two\n');
  const ran = work.run('git', ['commit', '-a', '-m', 'two'], { cwd, env: agent });
  const context = expectCaptured(work, ran, [session], { cwd });
  expect(context).toMatchObject({ sessions: [{ message_count: 4, new_messages: 2, continued_from_parent: true }] });
});

test('a snapshot file made by hand says nothing', () => {
  using work = createWorkplace();
  const session = work.session();
  const sessions = [{ session_id: session.id, message_count: '99' }, { session_id: '../../x', message_count: 1 }, null];
  for (const [at, text] of ['{', '[]', JSON.stringify({ created_at: 'x', sessions }), session.id].entries()) {
    work.write(`.cc-snapshots/2026/01/01/ctx-${String(at).repeat(64)}.json`, `${text} ${at === 2 ? '' : session.id}\n`);
  }
  work.git('add', '.');
  work.git('commit', '--quiet', '-m', 'by hand');
  session.say('one');
  const context = expectCaptured(work, work.commit(), [session]);
  expect(context).toMatchObject({ sessions: [{ message_count: 2, new_messages: 2, continued_from_parent: false }] });
});
