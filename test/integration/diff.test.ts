import { randomUUID } from 'node:crypto';
import { appendFileSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import type { ContextDiff } from '../../src/commands/diff.ts';
import { commitFiles, talkAndCommit } from '../helpers/history.ts';
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

test('a session that was restored and went on has only its new messages added', () => {
  using work = createWorkplace();
  const [left, right] = [work.session(), work.session()];
  left.say('from the left');
  right.say('from the right');
  commitFiles(work, 'both');
  const restored = work.json<{ sessions: { path: string; session_id: string }[] }>('restore', '--yes');
  const { path, session_id } = restored.sessions[0] as { path: string; session_id: string };
  const records = readFileSync(path, 'utf8')
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line));
  const parentUuid = records.findLast(({ uuid }) => uuid !== undefined).uuid;
  const more = {
    type: 'user',
    uuid: randomUUID(),
    parentUuid,
    cwd: work.dir,
    sessionId: session_id,
    timestamp: new Date().toISOString(),
  };
  appendFileSync(path, `${JSON.stringify({ ...more, message: { role: 'user', content: 'one thing more' } })}\n`);
  commitFiles(work, 'more');
  const { sessions } = work.json<ContextDiff>('diff', 'HEAD~1', 'HEAD');
  expect(sessions.flatMap(({ removed }) => removed)).toEqual([]);
  expect(sessions.flatMap(({ added }) => added.map(({ text }) => text))).toEqual(['one thing more']);
});
