import { expect, test } from 'vitest';
import type { ContextDiff } from '../../src/commands/diff.ts';
import { talkAndCommit } from '../helpers/history.ts';
import { createWorkplace } from '../helpers/workplace.ts';

test('counts for each session; --patch also says which messages came and went', () => {
  using work = createWorkplace();
  const session = work.session();
  const one = talkAndCommit(work, session, 'one');
  const other = work.session();
  other.say('in the other terminal');
  const two = talkAndCommit(work, session, 'two');
  const [a, b] = [work.git('rev-parse', 'HEAD~1'), work.git('rev-parse', 'HEAD')];

  const diff = work.json<ContextDiff>('diff', one.slice(0, 12), 'HEAD');
  expect(diff).toMatchObject({ a, b });
  const told = diff.sessions.map(({ session_id, messages, added, removed, changed }) => [
    session_id,
    messages,
    added.map(({ text }) => text),
    removed,
    changed,
  ]);
  expect(told).toContainEqual([session.id, [2, 4], ['please do two', 'Answer to: please do two'], [], []]);
  expect(told).toContainEqual([other.id, [0, 2], ['in the other terminal', 'Answer to: in the other terminal'], [], []]);

  const head = `${a.slice(0, 7)}..${b.slice(0, 7)}\n`;
  const stat = work.cc('diff', 'HEAD~1', 'HEAD').stdout;
  expect(stat.startsWith(head)).toBe(true);
  expect(stat).toContain(`session ${session.id}: 2 → 4 messages (+2 -0)\n`);
  expect(work.cc('diff', '--stat', 'HEAD~1', 'HEAD').stdout).toBe(stat);
  const patch = work.cc('diff', '--patch', 'HEAD~1', 'HEAD').stdout;
  expect(patch).toMatch(/\n\+ user \S+\n\+ {3}please do two\n\+ claude \S+\n\+ {3}Answer to: please do two\n/);
  const back = work.cc('diff', '--patch', two, one).stdout;
  expect(back).toContain(`session ${other.id}: 2 → 0 messages (+0 -2)\n- user `);
  expect(work.json<ContextDiff>('diff', 'HEAD', two).sessions.flatMap(({ added, removed }) => [...added, ...removed])).toEqual(
    [],
  );
});
