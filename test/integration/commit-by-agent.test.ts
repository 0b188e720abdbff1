import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { expectCaptured } from '../helpers/ownership.ts';
import { createWorkplace } from '../helpers/workplace.ts';

test('the agent commits in the middle of a turn: its session ends in the unfinished tool call, and goes on in the next', () => {
  using work = createWorkplace();
  const session = work.session();
  session.say('mend and commit');
  session.call('git commit -am mended', null);
  const agent = { CLAUDECODE: '1', CLAUDE_CODE_SESSION_ID: session.id };
  const first = expectCaptured(work, work.commit('mended', agent), [session]);
  expect(first).toMatchObject({ total_messages: 3, sessions: [{ message_count: 3, new_messages: 3 }] });
  const restored = work.json<{ messages: number; warnings: string[] }>('restore', '--dry-run', '--yes');
  expect(restored.warnings.join()).toContain('1 tool call had no result yet');

  session.say('and once more');
  session.call('git commit -am again', null);
  const second = expectCaptured(work, work.commit('again', agent), [session]);
  expect(second).toMatchObject({ sessions: [{ message_count: 6, new_messages: 3, continued_from_parent: true }] });
});

test('the agent works elsewhere and commits here: its session is captured, and only because it is named', () => {
  using work = createWorkplace();
  const elsewhere = join(work.dir, '../elsewhere');
  mkdirSync(elsewhere);
  const session = work.session(elsewhere);
  const other = work.session(elsewhere);
  session.say('go over there and commit');
  other.say('not about it');
  const context = expectCaptured(work, work.commit('from elsewhere', { CLAUDE_CODE_SESSION_ID: session.id }), [session]);
  expect(context).toMatchObject({ sessions: [{ cwd: null }] });
});

test('the session that commits is captured together with the others here', () => {
  using work = createWorkplace();
  const [agent, person] = [work.session(), work.session()];
  agent.say('commit it all');
  person.say('thinking beside it');
  expectCaptured(work, work.commit('both', { CLAUDE_CODE_SESSION_ID: agent.id }), [agent, person]);
});

test.each([['../../../etc/passwd'], ['00000000-0000-4000-8000-000000000000'], ['']])(
  'CLAUDE_CODE_SESSION_ID=%s names no session',
  (id) => {
    using work = createWorkplace();
    const session = work.session();
    session.say('as usual');
    expectCaptured(work, work.commit('usual', { CLAUDE_CODE_SESSION_ID: id }), [session]);
  },
);
