import { execFileSync } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { expectCaptured, snapshotOf } from '../helpers/ownership.ts';
import { createWorkplace } from '../helpers/workplace.ts';

const TOKEN = `ghp_${'aB3dE5gH7jK9mN1pQ3sT'.repeat(2).slice(0, 36)}`;

test('no text of a transcript gets into Git, whatever field it stands in', () => {
  using work = createWorkplace();
  const session = work.session();
  session.say('the question');
  const timestamp = `Jan 1 2026 (${TOKEN})`;
  session.append(
    `${JSON.stringify({ type: 'user', uuid: randomUUID(), version: TOKEN, timestamp, cwd: join(work.dir, TOKEN), message: { role: TOKEN, content: 'x', id: TOKEN } })}\n`,
  );
  const { context_id } = expectCaptured(work, work.commit(), [session]);
  expect(JSON.stringify(snapshotOf(work, context_id))).not.toContain(TOKEN);
  expect(snapshotOf(work, context_id).sessions[0]).toMatchObject({ agent_version: '2.1.329', cwd: null });
  expect(execFileSync('git', ['log', '-p', '--all'], { cwd: work.dir, env: work.env, encoding: 'utf8' })).not.toContain(TOKEN);
});

test.each([
  ['a backslash', 'we\\ird'],
  ['the folder above', '../../etc'],
  ['the folder above, after one below', 'sub/../../x'],
  ['a line end', 'a\nb'],
  ['a very long path', `${'long/'.repeat(300)}x`],
])('a session whose directory has %s leaves a context that can be read', (_, place) => {
  using work = createWorkplace();
  const session = work.session();
  session.say('the question');
  session.append(`${JSON.stringify({ type: 'mode', cwd: `${work.dir}/${place}` })}\n`);
  const ran = work.commit(undefined, { CLAUDE_CODE_SESSION_ID: session.id });
  const { context_id } = expectCaptured(work, ran, [session]);
  expect(snapshotOf(work, context_id).sessions[0]?.cwd).toBe(null);
  expect(work.cc('show').stdout).toContain('the question');
  expect(work.cc('restore', '--yes').code).toBe(0);
});

test('a directory that is named the long way round', () => {
  using work = createWorkplace();
  const session = work.session();
  session.say('the question');
  session.append(`${JSON.stringify({ type: 'mode', cwd: `${work.dir}/../repo/src/./deep` })}\n`);
  const { context_id } = expectCaptured(work, work.commit(), [session]);
  expect(snapshotOf(work, context_id).sessions[0]?.cwd).toBe('src/deep');
});

test('side files with names that no context may hold are left out, with a word', () => {
  using work = createWorkplace();
  const session = work.session();
  session.say('the question');
  const side = join(session.path.slice(0, -'.jsonl'.length), 'tool-results');
  mkdirSync(side, { recursive: true });
  for (const name of ['back\\slash.txt', 'line\nend.txt', 'good.txt']) writeFileSync(join(side, name), 'a result\n');
  const { stderr } = work.commit();
  expect(stderr).toContain(`session ${session.id.slice(0, 8)} has 2 files with a backslash or a control character in the name`);
  expect(work.cc('show').stdout).toContain('the question');
  expect(work.cc('restore', '--yes').code).toBe(0);
});
