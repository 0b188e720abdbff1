import { symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { ListedCommit } from '../../src/commands/list.ts';
import { talkAndCommit } from '../helpers/history.ts';
import { snapshotOf } from '../helpers/ownership.ts';
import { createWorkplace, type Workplace } from '../helpers/workplace.ts';

const HASH = 'a'.repeat(64);
const PATH = `.cc-snapshots/2026/01/02/ctx-${HASH}.json`;

/** A workplace and a snapshot that is valid under `PATH`. */
function withSnapshot() {
  const work = createWorkplace();
  const snapshot = {
    ...snapshotOf(work, talkAndCommit(work, work.session(), 'one')),
    context_id: `ctx-${HASH}`,
    manifest_hash: HASH,
  };
  return { work, snapshot };
}

function commitSnapshot(work: Workplace, content: unknown, path = PATH): ListedCommit {
  work.write(path, typeof content === 'string' ? content : JSON.stringify(content));
  work.git('add', '--force', '.');
  work.git('commit', '--quiet', '--no-verify', '-m', 'by hand');
  return work.json<ListedCommit[]>('list', '--limit', '1')[0] as ListedCommit;
}

type Snapshot = ReturnType<typeof withSnapshot>['snapshot'];
const INVALID: Record<string, (snapshot: Snapshot) => unknown> = {
  'a session id that leads elsewhere': (s) => ({ ...s, sessions: [{ ...s.sessions[0], session_id: '../../x' }] }),
  'a context id that leads elsewhere': (s) => ({ ...s, context_id: '../../x' }),
  'a directory that leads elsewhere': (s) => ({ ...s, sessions: [{ ...s.sessions[0], cwd: '../../x' }] }),
  'another context inside': (s) => ({ ...s, context_id: `ctx-${'b'.repeat(64)}`, manifest_hash: 'b'.repeat(64) }),
  'a newer version': (s) => ({ ...s, version: 2 }),
  'negative numbers': (s) => ({ ...s, total_messages: -1 }),
  'a missing field': ({ sessions: _, ...s }) => s,
  'half a file': (s) => JSON.stringify(s).slice(0, 100),
  'an array': () => [],
  nothing: () => '',
  'its sessions in a prototype': ({ sessions, ...s }) =>
    JSON.stringify(s).replace('{', `{"__proto__":{"sessions":${JSON.stringify(sessions)}},`),
};

test.each(Object.entries(INVALID))('a snapshot file with %s is named, and nothing is made of it', (_, change) => {
  const { work, snapshot } = withSnapshot();
  using _work = work;
  const listed = commitSnapshot(work, change(snapshot));
  expect(listed).toMatchObject({ has_context: false, contexts: [] });
  expect(listed.reason).toContain(PATH);
  for (const command of ['show', 'restore']) {
    const ran = work.cc(command, 'HEAD');
    expect(ran).toMatchObject({ code: 1, stdout: '' });
    expect(ran.stderr).toContain(PATH);
    expect(ran.stderr).not.toContain('bug');
  }
  expect(work.json('status')).toMatchObject({ context: null });
});

test('unknown fields are kept', () => {
  const { work, snapshot } = withSnapshot();
  using _work = work;
  const listed = commitSnapshot(work, { ...snapshot, later: 1, sessions: [{ ...snapshot.sessions[0], mood: 'good' }] });
  expect(listed.contexts[0]?.sessions).toEqual([{ ...snapshot.sessions[0], mood: 'good' }]);
});

test.each([
  '.cc-snapshots/2026/01/02/ctx-abc.json',
  `.cc-snapshots/ctx-${HASH}.json`,
  `elsewhere/${PATH}`,
  `.cc-snapshots/2026/01/02/ctx-${'A'.repeat(64)}.json`,
  `.cc-snapshots/2026/01/02/ctx-${HASH}.json.txt`,
])('%s is no snapshot file', (path) => {
  const { work, snapshot } = withSnapshot();
  using _work = work;
  expect(commitSnapshot(work, snapshot, path)).toMatchObject({ has_context: false, reason: 'no context' });
});

test('a symbolic link in place of a snapshot file is not followed', () => {
  const { work, snapshot } = withSnapshot();
  using _work = work;
  const secret = work.write('../home/secret.json', JSON.stringify(snapshot));
  work.write(join(PATH, '..', 'keep'), '');
  symlinkSync(secret, join(work.dir, PATH));
  work.git('add', '.');
  work.git('commit', '--quiet', '--no-verify', '-m', 'link');
  expect(work.git('ls-tree', 'HEAD', PATH)).toMatch(/^120000/);
  expect(work.json<ListedCommit[]>('list', '--limit', '1')[0]).toMatchObject({ has_context: false, reason: 'no context' });
  expect(work.cc('show')).toMatchObject({ code: 1, stdout: '' });
});

test('an invalid file beside a valid one: the valid one is read, the other named', () => {
  using work = createWorkplace();
  const session = work.session();
  session.say('do it');
  work.write(PATH, '{}');
  work.git('add', '.');
  work.git('commit', '--quiet', '-m', 'both');
  const [listed] = work.json<ListedCommit[]>('list', '--limit', '1');
  expect(listed).toMatchObject({ has_context: true, problems: [expect.stringContaining(PATH)] });
  expect(listed).not.toHaveProperty('reason');
  expect(work.cc('list', '--limit', '1').stdout).toContain(`! ${PATH}`);
  expect(work.cc('show')).toMatchObject({
    code: 0,
    stderr: expect.stringContaining(`! ${PATH}`),
    stdout: expect.stringContaining('do it'),
  });
});

test('a subject cannot pretend to be another commit', () => {
  using work = createWorkplace();
  const forged = `x\u0001${'f'.repeat(40)}\u0001`;
  work.git('commit', '--quiet', '--no-verify', '--allow-empty', '-m', forged);
  expect(work.json<ListedCommit[]>('list').map(({ subject }) => subject)).toEqual([forged, 'begin']);
});
