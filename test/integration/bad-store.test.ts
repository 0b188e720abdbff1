import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, readFileSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { afterEach, describe, expect, test } from 'vitest';
import type { Status } from '../../src/commands/status.ts';
import { noted } from '../helpers/ownership.ts';
import { expectNoTrace, expectPlainFailure } from '../helpers/plain-sentence.ts';
import { restoredTranscript } from '../helpers/restored.ts';
import { statePath, storePath } from '../helpers/store-file.ts';
import { createWorkplace, type Workplace, type WrittenSession } from '../helpers/workplace.ts';

/** A repository with one captured commit, and more said since. */
function begun(): { work: Workplace; session: WrittenSession; first: Buffer } {
  const work = createWorkplace();
  const session = work.session();
  session.say('the question');
  work.commit();
  const first = readFileSync(session.path);
  session.say('and on');
  return { work, session, first };
}

/** The commit is made; the hook says in one line why it has no context. */
function expectSkipped(work: Workplace, says: RegExp, env: NodeJS.ProcessEnv = {}): void {
  const { stderr } = work.commit(undefined, env);
  expectNoTrace(stderr);
  expect(
    stderr
      .trim()
      .split('\n')
      .filter((line) => line.includes('cc-context')),
  ).toEqual([expect.stringMatching(says)]);
  expect(work.contexts()).toEqual([]);
  expect(work.dirt()).toBe('');
}

/** Once the trouble is over, the next commit has everything, and the first one still restores. */
function expectHealed(work: Workplace, session: WrittenSession, first: Buffer | null): void {
  expectNoTrace(work.commit().stderr);
  expect(restoredTranscript(work).equals(readFileSync(session.path))).toBe(true);
  if (first === null) return;
  const owner = work.git('log', '--reverse', '--diff-filter=A', '--format=%H', '--', '.cc-snapshots').split('\n')[0];
  expect(restoredTranscript(work, owner).equals(first)).toBe(true);
  expect(work.dirt()).toBe('');
}

describe('a store that cannot be used', () => {
  test.each(['cannot be made', 'is a folder of another kind'])('CC_CONTEXT_HOME %s', (kind) => {
    const { work, session, first } = begun();
    using _ = work;
    const CC_CONTEXT_HOME = kind === 'cannot be made' ? '/proc/nowhere' : work.write('../home/a-file', 'x');
    expectSkipped(work, /no context was captured for this commit: The store .* cannot be used: .*Check that/, {
      CC_CONTEXT_HOME,
    });
    for (const command of ['restore', 'show']) {
      expectPlainFailure(
        work.run(process.execPath, [join(work.bin, `cc-${command}`), 'HEAD~1'], { env: { CC_CONTEXT_HOME } }),
        /The store .* cannot be used/,
      );
    }
    const status = work.run(process.execPath, [join(work.bin, 'cc-status'), '--json'], { env: { CC_CONTEXT_HOME } });
    expect((JSON.parse(status.stdout) as Status).capture).toMatchObject({
      ok: false,
      problems: [expect.stringContaining('cannot be used')],
    });
    expect(work.run(process.execPath, [join(work.bin, 'cc-list')], { env: { CC_CONTEXT_HOME } }).code).toBe(0);
    expectHealed(work, session, first);
  });

  test('the database is a symlink to a file of somebody else', () => {
    const { work } = begun();
    using _ = work;
    const folder = join(work.home, 'elsewhere');
    mkdirSync(folder);
    const target = work.write('../home/precious', 'precious');
    work.run('ln', ['-s', target, join(folder, 'store.db')]);
    expectSkipped(work, /The store .* cannot be used/, { CC_CONTEXT_HOME: folder });
    expect(readFileSync(target, 'utf8')).toBe('precious');
  });
});

describe('no home', () => {
  test('no HOME and nothing else: the commit is made', () => {
    const { work, session, first } = begun();
    using _ = work;
    const env = { HOME: '', XDG_DATA_HOME: '', CLAUDE_CODE_SESSION_ID: session.id };
    const { stderr } = work.commit(undefined, env);
    expectNoTrace(stderr);
    expectHealed(work, session, first);
  });

  test('no home at all: commands say what to set', () => {
    const { work } = begun();
    using _ = work;
    // A user without an entry in passwd, so that the operating system knows no home either.
    const as = (args: string[]) =>
      work.run('setpriv', ['--reuid=54321', '--regid=54321', '--clear-groups', ...args], { env: { HOME: '' } });
    if (process.getuid?.() !== 0 || as(['true']).code !== 0) return;
    work.run('chmod', ['-R', 'a+rwX', dirname(work.dir)]);
    work.run('chmod', ['a+rx', join(work.bin, '../../..')]); // where the package is installed
    work.run('git', ['config', '--global', 'safe.directory', '*']);
    expectPlainFailure(as([process.execPath, join(work.bin, 'cc-restore')]), /There is no home directory/);
    const made = as(['git', 'commit', '--allow-empty', '-m', 'homeless']);
    expectNoTrace(made.stderr);
    expect(made.code).toBe(0);
  });
});

describe('locked', () => {
  const held: { kill(): void }[] = [];
  afterEach(() => held.splice(0).forEach((child) => child.kill()));

  /** Another process that holds the write lock of a database until it is killed. */
  async function lock(path: string): Promise<{ free(): Promise<void> }> {
    const script = `const {DatabaseSync}=require('node:sqlite');const d=new DatabaseSync(${JSON.stringify(path)});d.exec('BEGIN EXCLUSIVE');console.log('held');setInterval(()=>{},1000)`;
    const child = spawn(process.execPath, ['--no-warnings', '-e', script], { stdio: ['ignore', 'pipe', 'inherit'] });
    held.push(child);
    await once(child.stdout, 'data');
    const exit = once(child, 'exit');
    return {
      free: async () => {
        child.kill('SIGKILL');
        await exit;
      },
    };
  }

  test.each([
    ['store', storePath],
    ['local state', statePath],
  ])('the %s is locked by another process', async (_, path) => {
    const { work, session, first } = begun();
    using __ = work;
    const { free } = await lock(path(work));
    expectSkipped(work, /no context was captured for this commit: .* is locked by another process\. Try again/, {
      CC_CONTEXT_TIMEOUT: '2',
    });
    expect(work.cc('show', 'HEAD~1').stdout).toContain('the question');
    await free();
    expectHealed(work, session, first);
  });
});

describe('damaged', () => {
  test.each([
    ['is no database', (path: string) => writeFileSync(path, 'no database at all, but long enough to have a header'.repeat(100))],
    ['is cut off', (path: string) => truncateSync(path, 5000)],
    ['has garbage in it', (path: string) => writeFileSync(path, Buffer.alloc(8192, 0xa5), { flag: 'r+' })],
  ])('the store %s', (_, damage) => {
    const { work, session } = begun();
    using __ = work;
    const path = storePath(work);
    for (const file of [`${path}-wal`, `${path}-shm`]) rmSync(file, { force: true });
    damage(path);
    const bytes = readFileSync(path);
    expectSkipped(
      work,
      /no context was captured for this commit: The store .* is damaged\. Restore it from a backup, or move it away/,
    );
    expectPlainFailure(work.cc('restore', 'HEAD~1'), /The store .* is damaged/);
    expect(readFileSync(path).equals(bytes)).toBe(true);
    rmSync(path);
    expectHealed(work, session, null);
  });

  test.each([
    ['is no database', (path: string) => writeFileSync(path, 'no database at all, but long enough to have a header'.repeat(100))],
    ['is cut off', (path: string) => truncateSync(path, 5000)],
    ['has garbage in it', (path: string) => writeFileSync(path, Buffer.alloc(8192, 0xa5), { flag: 'r+' })],
    ['is gone', (path: string) => rmSync(path)],
    ['is gone with its folder', (path: string) => rmSync(dirname(path), { recursive: true })],
    ['is empty', (path: string) => truncateSync(path, 0)],
  ])('the local state %s: it is made anew', async (_, damage) => {
    const { work, session, first } = begun();
    using __ = work;
    await noted(work); // the detached post-commit of the first commit uses it too
    const path = statePath(work);
    for (const file of [`${path}-wal`, `${path}-shm`]) rmSync(file, { force: true });
    damage(path);
    if (!existsSync(dirname(path))) expect(work.cc('init').code).toBe(0); // the hooks lay there too
    expectHealed(work, session, first);
  });

  test('local state that is damaged further in is made anew at the next open', async () => {
    const { work, session, first } = begun();
    using _ = work;
    await noted(work);
    const path = statePath(work);
    for (const file of [`${path}-wal`, `${path}-shm`]) rmSync(file, { force: true });
    const bytes = readFileSync(path);
    writeFileSync(path, Buffer.concat([bytes.subarray(0, 8192), Buffer.alloc(bytes.length - 8192, 0xa5)]));
    expectNoTrace(work.commit().stderr);
    session.say('and further');
    expectHealed(work, session, first);
  });
});

test('a store that was deleted between commits: the next one captures everything anew', () => {
  const { work, session } = begun();
  using _ = work;
  rmSync(dirname(storePath(work)), { recursive: true });
  expectNoTrace(work.commit().stderr);
  expect(restoredTranscript(work).equals(readFileSync(session.path))).toBe(true);
  expectPlainFailure(work.cc('restore', 'HEAD~1'), /missing: manifests\/[0-9a-f]{64}/);
});

test('a store that was deleted after an aborted commit', () => {
  using work = createWorkplace();
  const session = work.session();
  session.say('the question');
  work.write('file.txt', 'changed\n');
  work.git('add', 'file.txt');
  expect(work.run('git', ['commit', '-m', '']).code).not.toBe(0);
  rmSync(dirname(storePath(work)), { recursive: true });
  expectNoTrace(work.commit().stderr);
  expect(restoredTranscript(work).equals(readFileSync(session.path))).toBe(true);
  expect(work.contexts()).toHaveLength(1);
});
