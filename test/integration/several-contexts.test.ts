import { expect, test } from 'vitest';
import type { ContextDiff } from '../../src/commands/diff.ts';
import type { ShownContext } from '../../src/commands/show.ts';
import type { Status } from '../../src/commands/status.ts';
import { talkAndCommit } from '../helpers/history.ts';
import { createWorkplace } from '../helpers/workplace.ts';

test('a commit that owns several contexts is read as their union, each session in its newest version', () => {
  using work = createWorkplace();
  const [first, second] = [work.session(), work.session()];
  talkAndCommit(work, first, 'base');
  second.say('second terminal');
  for (const step of ['one', 'two', 'three', 'four']) talkAndCommit(work, first, step);
  work.git('reset', '--quiet', '--soft', 'HEAD~4');
  work.git('commit', '--quiet', '--no-verify', '-m', 'squashed');
  const owned = work.contexts();
  expect(owned).toHaveLength(4);

  const shown = work.json<ShownContext>('show');
  expect([...shown.context_ids].sort()).toEqual(owned.sort());
  expect(shown.sessions.map(({ session_id, message_count }) => [session_id, message_count])).toEqual([
    [first.id, 10],
    [second.id, 2],
  ]);
  expect(shown.messages).toHaveLength(12);
  expect(new Set(shown.messages.map(({ id }) => id)).size).toBe(12);
  expect(work.json<Status>('status').context).toEqual({ context_ids: shown.context_ids, sessions: 2, total_messages: 12 });
  expect(work.json('restore', '--dry-run')).toMatchObject({ messages: 12, from_sessions: 2, context_ids: shown.context_ids });
  expect(work.cc('list', '--limit', '1').stdout).toContain('2 sessions, 12 messages (10 new)');
  const { sessions } = work.json<ContextDiff>('diff', 'HEAD~1', 'HEAD');
  expect(
    sessions.map(({ session_id, messages, added, removed }) => [session_id, messages, added.length, removed.length]),
  ).toEqual([
    [first.id, [2, 10], 8, 0],
    [second.id, [0, 2], 2, 0],
  ]);
});
