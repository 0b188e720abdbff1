import { existsSync, lstatSync, mkdirSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import type { ListedCommit } from '../../src/commands/list.ts';
import type { Snapshot } from '../../src/core/snapshot.ts';
import { expectNoTrace, expectPlainFailure } from '../helpers/plain-sentence.ts';
import { restoredTranscript } from '../helpers/restored.ts';
import { createWorkplace, type Workplace } from '../helpers/workplace.ts';

/** The path of the only snapshot file in HEAD. */
function snapshotPath(work: Workplace): string {
  return work.git('ls-files', '.cc-snapshots/*.json');
}

/** A commit whose snapshot file somebody made by hand. */
function forge(work: Workplace, change: (snapshot: Snapshot) => unknown): void {
  work.session().say('the question');
  work.commit();
  const path = snapshotPath(work);
  const forged = change(JSON.parse(readFileSync(join(work.dir, path), 'utf8')));
  work.git('rm', '--quiet', '--cached', path);
  work.git('commit', '--quiet', '--no-verify', '-m', 'away');
  writeFileSync(join(work.dir, path), typeof forged === 'string' ? forged : JSON.stringify(forged));
  work.git('add', path);
  work.git('commit', '--quiet', '--no-verify', '-m', 'forged');
}

describe('a snapshot file made by hand is refused by every command', () => {
  const forgeries: [string, (snapshot: Snapshot) => unknown][] = [
    [
      '../../x as the id of the session',
      (snapshot) => ({ ...snapshot, sessions: [{ ...snapshot.sessions[0], session_id: '../../x' }] }),
    ],
    ['../../x as the id of the context', (snapshot) => ({ ...snapshot, context_id: '../../x' })],
    ['../../x as the hash of the manifest', (snapshot) => ({ ...snapshot, context_id: 'ctx-../../x', manifest_hash: '../../x' })],
    ['../../x as the directory', (snapshot) => ({ ...snapshot, sessions: [{ ...snapshot.sessions[0], cwd: '../../x' }] })],
    ['no JSON', () => '{"version":1,'],
    ['nothing', () => ''],
    ['an array', () => []],
    ['a newer version', (snapshot) => ({ ...snapshot, version: 2 })],
    ['100,000 levels of nesting', () => `{"x":${'['.repeat(100_000)}${']'.repeat(100_000)}}`],
  ];
  test.each(forgeries)('%s', (_, change) => {
    using work = createWorkplace();
    forge(work, change);
    for (const command of ['restore', 'show'])
      expectPlainFailure(work.cc(command), /cannot be read: \.cc-snapshots\/.* is no valid snapshot file/);
    const [head] = work.json<ListedCommit[]>('list');
    expect(head).toMatchObject({ has_context: false, reason: expect.stringContaining('no valid snapshot file') });
    expect(work.cc('status').code).toBe(0);
    expect(existsSync(join(work.home, '.claude', 'x.jsonl'))).toBe(false);
    work.session().say('the next question');
    work.commit();
    expect(work.contexts()).toHaveLength(1);
    expect(work.cc('restore', '--yes').code).toBe(0);
  });
});

test('a snapshot file that is a symlink is not read through', () => {
  using work = createWorkplace();
  work.session().say('the question');
  work.commit();
  const path = snapshotPath(work);
  const secret = join(work.home, 'secret.json');
  writeFileSync(secret, readFileSync(join(work.dir, path)));
  work.git('rm', '--quiet', path);
  work.git('commit', '--quiet', '--no-verify', '-m', 'away');
  mkdirSync(join(work.dir, path, '..'), { recursive: true });
  symlinkSync(secret, join(work.dir, path));
  work.git('add', '.cc-snapshots');
  work.git('commit', '--quiet', '--no-verify', '-m', 'link');
  expectPlainFailure(work.cc('restore'), /has no Claude context/);
  expect(work.json<ListedCommit[]>('list')[0]).toMatchObject({ has_context: false });
});

test.each(['.cc-snapshots', '.cc-snapshots/<year>'])(
  '%s is a symlink: nothing is written through it, and the commit is made',
  (name) => {
    using work = createWorkplace();
    const session = work.session();
    session.say('the question');
    work.commit();
    const outside = join(work.home, 'outside');
    mkdirSync(outside);
    const link = join(work.dir, name.replace('<year>', String(new Date().getUTCFullYear())));
    rmSync(link, { recursive: true });
    symlinkSync(outside, link);
    session.say('and on');
    const { stderr } = work.commit();
    expectNoTrace(stderr);
    expect(stderr).toMatch(/no context was captured for this commit: \.cc-snapshots.* is a symbolic link or no folder/);
    expect(readdirSync(outside)).toEqual([]);
    expect(lstatSync(link).isSymbolicLink()).toBe(true);
    expect(work.contexts()).toEqual([]);

    rmSync(link);
    work.commit();
    expect(work.contexts()).toHaveLength(1);
    expect(restoredTranscript(work).equals(readFileSync(session.path))).toBe(true);
  },
);

test('.cc-snapshots is a file', () => {
  using work = createWorkplace();
  const session = work.session();
  session.say('the question');
  work.write('.cc-snapshots', 'mine');
  expect(work.commit().stderr).toMatch(/no context was captured for this commit: \.cc-snapshots is a symbolic link or no folder/);
  expect(readFileSync(join(work.dir, '.cc-snapshots'), 'utf8')).toBe('mine');
});
