import { globSync, readFileSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, test, vi } from 'vitest';
import type { ListedCommit } from '../../src/commands/list.ts';
import type { Pulled } from '../../src/commands/pull.ts';
import type { PurgeResult } from '../../src/commands/purge.ts';
import type { Restored } from '../../src/commands/restore.ts';
import type { VerifyResult } from '../../src/commands/verify.ts';
import { installFolderAdapter } from '../helpers/folder-adapter.ts';
import { talkAndCommit } from '../helpers/history.ts';
import { expectPlainFailure } from '../helpers/plain-sentence.ts';
import { restoredTranscript } from '../helpers/restored.ts';
import { settled } from '../helpers/settled.ts';
import { createWorkplace, type Workplace } from '../helpers/workplace.ts';

/** What nobody is to read any more; no rule of the redaction knows it. */
const SECRET = 'the zebra project is to be kept quiet';
const PURGED = /was purged on \d{4}-\d\d-\d\d by Alice <alice@example\.com>: a password\./;

/** Whether any file below a folder has a text, as it is. */
function holds(folder: string, text: string): string[] {
  return globSync('**/*', { cwd: folder, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .filter((path) => readFileSync(path).includes(text));
}

function team(): { work: Workplace; bucket: string } {
  const work = createWorkplace();
  const bucket = installFolderAdapter(work);
  work.write('.gitignore', 'node_modules\n');
  work.git('add', '.gitignore');
  work.git('init', '--quiet', '--bare', '../remote');
  work.git('remote', 'add', 'origin', '../remote');
  useStore(work);
  return { work, bucket };
}

/** A colleague: a home of their own, a clone. */
function colleague(work: Workplace): Workplace {
  const other = createWorkplace({ begin: false, init: false });
  rmSync(other.dir, { recursive: true });
  const remote = join(dirname(work.dir), 'remote');
  const clone = other.run('git', ['clone', '--quiet', '--branch', 'main', remote, other.dir], { cwd: dirname(other.dir) });
  if (clone.code !== 0) throw new Error(clone.stderr);
  installFolderAdapter({ ...other, home: work.home }, other.dir);
  other.cc('init');
  return other;
}

const useStore = (work: Workplace) => work.git('config', 'cc-context.store', 'npm:folder-adapter');

test('a session is gone from both stores, its context explains it, and what was beside it can be restored', async () => {
  const { work, bucket } = team();
  using _ = work;
  const [secret, other] = [work.session(), work.session()];
  other.say('harmless');
  secret.say(`${SECRET}`);
  const before = readFileSync(other.path);
  work.commit('both');
  talkAndCommit(work, secret, 'alone');
  await settled(work);
  expect(work.cc('cc-context', 'push').code).toBe(0);
  const dry = work.json<PurgeResult>('cc-context', 'purge', secret.id.slice(0, 8), '--dry-run');
  expect(dry).toMatchObject({
    sessions: [secret.id],
    dry_run: true,
    stores: [
      { contexts: 2, blobs: 2 },
      { contexts: 2, blobs: 2 },
    ],
  });
  expect(dry.warnings.join()).toContain(secret.path);
  expectPlainFailure(work.cc('cc-context', 'purge', secret.id), /Remove what was said there for good.*\n.*pass --yes/);
  expect(work.cc('restore', 'HEAD', '--yes', '--dry-run').code).toBe(0);

  const done = work.cc('cc-context', 'purge', secret.id, '--reason', 'a password', '--yes');
  expect(done.code).toBe(0);
  expect(done.stdout).toMatch(
    /^✓ Removed 1 session \(.{8}\)\n {2}- 2 contexts, 2 blobs in npm:folder-adapter\n {2}- 2 contexts, 2 blobs in sqlite:/,
  );
  expect(done.stderr).toContain(`! Claude Code still has its own transcript: ${secret.path}`);
  const alone = work.cc('restore', 'HEAD', '--yes');
  expectPlainFailure(alone, PURGED);
  for (const command of ['show', 'diff'])
    expectPlainFailure(work.cc(command, ...(command === 'diff' ? ['HEAD', 'HEAD'] : [])), PURGED);
  const both = work.json<Restored>('restore', 'HEAD~1', '--yes');
  expect(both).toMatchObject({ messages: 2, from_sessions: 1, warnings: [expect.stringMatching(PURGED)] });
  expect(restoredTranscript(work, 'HEAD~1').equals(before)).toBe(true);
  expectPlainFailure(work.cc('restore', 'HEAD~1', '--yes', '--session', secret.id), PURGED);
  expect(work.cc('list', '--prompts').code).toBe(0);
  for (const where of ['--local', '--shared']) {
    const whole = work.json<VerifyResult>('cc-context', 'verify', where);
    expect(whole).toMatchObject({ problems: [], contexts: 2, manifests: 1 });
    expect(whole.purged.map(({ reason }) => reason)).toEqual(['a password']);
  }
  // Again: nothing to do, nothing to ask.
  expect(work.json<PurgeResult>('cc-context', 'purge', secret.id).stores).toMatchObject([
    { contexts: 0, blobs: 0 },
    { contexts: 0, blobs: 0 },
  ]);
  expect(globSync('{unfinished,spare}/*', { cwd: bucket })).toEqual([]);
});

test('nothing of it is left in any file of the store, also where it does not compress', async () => {
  using work = createWorkplace();
  const session = work.session();
  const noise = Array.from({ length: 2000 }, () => Math.random().toString(36)).join('');
  session.say(noise);
  work.commit();
  session.say('and on');
  work.commit();
  await settled(work);
  const store = join(work.home, '.local/share/cc-context');
  const { size } = { size: readFileSync(join(store, 'store.db')).length };
  expect(size).toBeGreaterThan(20_000);
  work.git('rm', '--quiet', '-r', '--cached', '.cc-snapshots');
  expect(work.cc('cc-context', 'purge', session.id, '--yes').code).toBe(0);
  const files = globSync('store.db*', { cwd: store }).map((name) => readFileSync(join(store, name)));
  expect(files.reduce((sum, { length }) => sum + length, 0)).toBeLessThan(size);
  expect(files.some((bytes) => bytes.includes(Buffer.from([0x28, 0xb5, 0x2f, 0xfd])))).toBe(false); // no zstd frame
});

test('a purged session is not captured again, a new one is', async () => {
  using work = createWorkplace();
  const session = work.session();
  session.say('once');
  work.commit();
  await settled(work);
  work.cc('cc-context', 'purge', session.id, '--yes');
  session.say('again');
  const { stderr } = work.commit();
  expect(stderr).toContain(`session ${session.id.slice(0, 8)} was purged and is not captured any more`);
  expect(work.contexts()).toEqual([]);
  work.session().say('in a new session');
  work.commit();
  const [head] = work.json<ListedCommit[]>('list');
  expect(head?.contexts[0]?.sessions).toHaveLength(1);
  expect(work.cc('restore', '--yes').code).toBe(0);
});

test('what waits for its commit is withdrawn from it', async () => {
  using work = createWorkplace();
  const session = work.session();
  session.say('once');
  work.write('file.txt', 'new');
  work.git('add', 'file.txt');
  expect(work.run('git', ['commit'], { env: { GIT_EDITOR: 'false' } }).code).toBe(1);
  expect(work.cc('cc-context', 'purge', session.id, '--yes').code).toBe(0);
  work.git('commit', '--quiet', '-m', 'after');
  expect(work.contexts()).toEqual([]);
  expect(work.dirt()).toBe('');
});

test('a restored copy has some of the same content: it is named, and it stays', async () => {
  using work = createWorkplace();
  const session = work.session();
  session.say('once');
  talkAndCommit(work, session, 'one');
  await settled(work);
  const copy = work.json<Restored>('restore', '--yes').sessions[0]?.session_id as string;
  const { warnings, stores } = work.json<PurgeResult>('cc-context', 'purge', session.id, '--yes');
  expect(stores[0]?.shared_with).toEqual([copy]);
  expect(warnings.join()).toContain(copy);
  expect(work.json<PurgeResult>('cc-context', 'purge', '--yes', copy).stores[0]?.shared_with).toEqual([]);
  expect(work.cc('cc-context', 'verify').code).toBe(0);
});

test('all sessions of a context', async () => {
  using work = createWorkplace();
  for (const name of ['one', 'two']) work.session().say(name);
  work.commit();
  const [id = ''] = work.contexts();
  await settled(work);
  const done = work.json<PurgeResult>('cc-context', 'purge', '--context', id.slice(0, 12), '--yes');
  expect(done.sessions).toHaveLength(2);
  expectPlainFailure(work.cc('restore', '--yes'), /Sessions .*, .* of this context were purged on .*: no reason was given/);
});

test('sessions that are not understood', () => {
  using work = createWorkplace();
  talkAndCommit(work, work.session(), 'one');
  expectPlainFailure(work.cc('cc-context', 'purge'), /Name one session, or a context with --context/);
  expectPlainFailure(work.cc('cc-context', 'purge', 'zzzz', '--yes'), /No commit has a session zzzz/);
  expectPlainFailure(work.cc('cc-context', 'purge', '', '--yes'), /No commit has a session/);
});

test('colleagues: who has read it is told at the next pull, and does not bring it back', async () => {
  const { work, bucket } = team();
  using _ = work;
  const secret = work.session();
  secret.say(`${SECRET}`);
  work.commit('one');
  await settled(work);
  work.git('push', '--quiet', 'origin', 'main');
  using bob = colleague(work);
  useStore(bob);
  expect(bob.cc('show')).toMatchObject({ code: 0, stderr: '', stdout: expect.stringContaining(SECRET) });
  // Bob goes on with it in his own way, and has not uploaded that yet.
  const restored = bob.json<Restored>('restore', '--yes');
  expect(restored.messages).toBe(2);
  const manifests = () => globSync('manifests/*', { cwd: bucket });
  await vi.waitUntil(() => manifests().length === 1, { timeout: 20_000 });
  const purge = work.cc('cc-context', 'purge', secret.id, '--reason', 'a password', '--yes');
  expect(purge.code).toBe(0);
  expect(manifests()).toEqual([]);
  expect(globSync('blobs/*', { cwd: bucket })).toEqual([]);

  expect(bob.cc('show').stdout).toContain(SECRET); // his machine was not told yet
  const pulled = bob.json<Pulled>('cc-context', 'pull');
  expect(pulled.warnings).toEqual([
    expect.stringContaining(`What this machine has of it is not shown any more; remove it with: cc-context purge ${secret.id}`),
    expect.stringMatching(PURGED),
  ]);
  expectPlainFailure(bob.cc('show'), PURGED);
  expect(bob.cc('cc-context', 'verify').code).toBe(0);
  const removed = bob.json<PurgeResult>('cc-context', 'purge', secret.id, '--yes');
  expect(removed.stores).toMatchObject([{ contexts: 0 }, { contexts: 1, shared_with: [] }]);
  // A new machine finds out why it is not there.
  using eve = colleague(work);
  useStore(eve);
  expectPlainFailure(eve.cc('restore'), PURGED);
  expect(holds(bucket, SECRET)).toEqual([]);
});

test.each([
  ['encrypted', true],
  ['not encrypted', false],
])(
  'colleagues: what was captured beside it and not uploaded yet is uploaded without it; the store is %s',
  async (_, encrypted) => {
    const { work, bucket } = team();
    using _work = work;
    const key = join(work.home, 'team.key');
    if (encrypted) expect(work.cc('cc-context', 'key', 'new', '--out', key).code).toBe(0);
    const setUp = (who: Workplace) => {
      useStore(who);
      if (!encrypted) return;
      who.git('config', 'cc-context.encryptionKeyFile', key);
      who.git('config', 'cc-context.encryption.required', 'true');
    };
    setUp(work);
    const secret = work.session();
    secret.say(SECRET);
    work.commit('one');
    await settled(work);
    work.git('push', '--quiet', 'origin', 'main');
    using bob = colleague(work);
    // The same session on bob's machine, as after a move of the home, and one of his own.
    const [same, own] = [bob.session(), bob.session()];
    same.say(SECRET);
    own.say('of bob alone');
    bob.write('bob.txt', 'both');
    bob.git('add', 'bob.txt');
    expect(bob.run('git', ['commit', '-m', 'both'], { env: { CC_CONTEXT_STORE: 'none' } }).code).toBe(0);
    await settled(bob);
    setUp(bob);
    for (const id of [secret.id, same.id])
      expect(work.cc('cc-context', 'purge', id, '--reason', 'a password', '--yes')).toMatchObject({ code: 0 });
    expect(bob.cc('cc-context', 'push').stdout).toMatch(/^✓ 1 context uploaded/);
    expect(globSync('blobs/**/*', { cwd: bucket, withFileTypes: true }).filter((entry) => entry.isFile())).toHaveLength(1);
    bob.git('push', '--quiet', 'origin', 'main');
    expect(bob.json<Restored>('restore', '--yes')).toMatchObject({ from_sessions: 1, warnings: [expect.stringMatching(PURGED)] });
    using eve = colleague(work);
    setUp(eve);
    expect(eve.json<VerifyResult>('cc-context', 'verify', '--shared', 'HEAD')).toMatchObject({ problems: [], manifests: 1 });
    // No hash in Git names what is left: it is taken only from where nobody but the team can have put it.
    if (!encrypted) expectPlainFailure(eve.cc('restore', '--yes'), PURGED);
    else {
      expect(eve.json<Restored>('restore', '--yes')).toMatchObject({
        from_sessions: 1,
        warnings: [expect.stringMatching(PURGED)],
      });
      expect(eve.cc('show').stdout).toContain('of bob alone');
    }
  },
);

test('a store that is not trusted here is not left out without a word', () => {
  using work = createWorkplace();
  installFolderAdapter(work);
  work.write('.cc-snapshots/config.json', JSON.stringify({ version: 1, store: 'npm:folder-adapter' }));
  work.git('add', '-f', '.cc-snapshots/config.json');
  const session = work.session();
  session.say('once');
  work.commit();
  expectPlainFailure(work.cc('cc-context', 'purge', session.id, '--yes'), /is not trusted here, and may have the session too/);
  expect(work.cc('cc-context', 'purge', session.id, '--yes', '--local').code).toBe(0);
});
