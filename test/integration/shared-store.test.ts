import { existsSync, globSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test, vi } from 'vitest';
import type { Restored } from '../../src/commands/restore.ts';
import type { Status } from '../../src/commands/status.ts';
import { installFolderAdapter } from '../helpers/folder-adapter.ts';
import { expectPlainFailure } from '../helpers/plain-sentence.ts';
import { createWorkplace, type Workplace } from '../helpers/workplace.ts';

const STORE = 'npm:folder-adapter';

/** A repository whose committed settings name a store, with a remote. */
function team(): { work: Workplace; bucket: string } {
  const work = createWorkplace();
  const bucket = installFolderAdapter(work);
  work.write('.gitignore', 'node_modules\n');
  work.git('init', '--quiet', '--bare', '../remote');
  work.git('remote', 'add', 'origin', '../remote');
  return { work, bucket };
}

const objects = (bucket: string) => globSync('**/*', { cwd: bucket }).filter((path) => path.includes('/'));
const uploaded = (bucket: string, count: number) =>
  vi.waitUntil(() => objects(bucket).filter((path) => path.startsWith('manifests/')).length === count, {
    timeout: 20_000,
    interval: 50,
  });
/** As on a new machine: no store, and a clone. */
function newMachine(work: Workplace): string {
  for (const end of ['', '-wal', '-shm']) rmSync(join(work.home, `.local/share/cc-context/store.db${end}`), { force: true });
  const clone = join(work.dir, '../clone');
  work.git('clone', '--quiet', '--branch', 'main', '../remote', clone);
  installFolderAdapter(work, clone);
  return clone;
}

test('named, committed, filled in the background and at the push, and read from a clone without any data of its own', async () => {
  const { work, bucket } = team();
  using _ = work;
  const named = work.cc('init', '--store', STORE);
  expect(named.stdout).toContain(
    `Conversations will be shared through ${STORE}. Commit it for your team: git add -f .cc-snapshots/config.json`,
  );
  work.git('add', '-f', '.cc-snapshots/config.json', '.gitignore');
  const session = work.session();
  session.say('the question', 'the answer');
  work.commit();
  await uploaded(bucket, 1);
  session.say('another');
  work.commit('two');
  await uploaded(bucket, 2);
  expect(work.json<Status>('status').store).toMatchObject({ shared: STORE, pending_uploads: 0 });
  expect(work.git('push', '--quiet', 'origin', 'main')).toBe('');

  const clone = newMachine(work);
  expect(work.cc('list', '-C', clone).stdout).toContain('2 messages');
  // Not before this person has agreed.
  expectPlainFailure(
    work.cc('restore', '-C', clone),
    /the store that this repository names \(npm:folder-adapter\) is not trusted here\.\nSee what it is and agree to it with: cc-init --trust/,
  );
  expect(work.cc('list', '--prompts', '-C', clone).stdout).toContain('(the conversation is not in the store on this machine)');
  expect(work.cc('init', '-C', clone).stdout).toContain('Nothing goes there until you agree to it: cc-init --trust');
  expect(work.cc('init', '--trust', '-C', clone).stdout).toContain(`Conversations are shared through ${STORE} from now on.`);
  const restored = work.json<Restored>('restore', '--yes', '-C', clone);
  expect(restored).toMatchObject({ messages: 4, from_sessions: 1 });
  // It is on this machine now.
  writeFileSync(`${bucket}.down`, '');
  expect(work.cc('restore', '--yes', '-C', clone).code).toBe(0);
  expectPlainFailure(work.cc('restore', '--yes', 'HEAD~1', '-C', clone), /out of reach/);
  rmSync(`${bucket}.down`);
  expect(work.cc('list', '--prompts', '-C', clone).stdout).toContain('> the question');
  expect(work.cc('cc-context', 'pull', '-C', clone).stdout).toMatch(/^✓ 2 contexts on this machine, verified/);
});

test('out of reach: commits and pushes go on, say so, and everything arrives later', async () => {
  const { work, bucket } = team();
  using _ = work;
  work.git('config', 'cc-context.store', STORE);
  writeFileSync(`${bucket}.down`, '');
  work.session().say('the question');
  expect(work.commit().code).toBe(0);
  const pushed = work.run('git', ['push', 'origin', 'main']);
  expect(pushed.code).toBe(0);
  expect(pushed.stderr).toContain(
    'cc-context: the conversations of this push are not uploaded yet, the next commit or push tries again: ',
  );
  expect(work.json<Status>('status').store.pending_uploads).toBe(1);
  expectPlainFailure(work.cc('cc-context', 'push'), /out of reach/);
  rmSync(`${bucket}.down`);
  expect(work.cc('cc-context', 'push').stdout).toMatch(/^✓ 1 context uploaded to npm:folder-adapter \(2 objects, \d+ kB\)\n$/);
  expect(work.cc('cc-context', 'push').stdout).toBe('✓ Nothing to upload: npm:folder-adapter has it all\n');
  expect(work.json<Status>('status').store.pending_uploads).toBe(0);
});

test('push.require refuses a push without its conversations, and only that', async () => {
  const { work, bucket } = team();
  using _ = work;
  work.git('config', 'cc-context.store', STORE);
  work.git('config', 'cc-context.push.require', 'true');
  writeFileSync(`${bucket}.down`, '');
  work.session().say('the question');
  work.commit();
  const refused = work.run('git', ['push', 'origin', 'main']);
  expect(refused.code).toBe(1);
  expect(refused.stderr).toContain(
    'cc-context: the push is refused (push.require), because its conversations could not be uploaded: ',
  );
  expect(work.run('git', ['push', 'origin', 'HEAD~1:refs/heads/other'], { env: { CC_CONTEXT: '0' } }).code).toBe(0);
  rmSync(`${bucket}.down`);
  expect(work.run('git', ['push', 'origin', 'main']).code).toBe(0);
  expect(objects(bucket).length).toBe(2);
});

test('a repository that names another store than the one agreed to is asked for anew', async () => {
  const { work, bucket } = team();
  using _ = work;
  work.cc('init', '--store', STORE);
  work.write('.cc-snapshots/config.json', JSON.stringify({ version: 1, store: `${STORE}?endpoint=elsewhere` }));
  work.git('add', '-f', '.cc-snapshots/config.json', '.gitignore');
  work.session().say('the question');
  work.commit();
  const pushed = work.run('git', ['push', 'origin', 'main']);
  expect([pushed.code, pushed.stderr]).toEqual([0, expect.stringContaining('is not trusted here')]);
  expect(work.cc('status').stdout).toContain('Nothing goes there until you agree to it');
  expect(existsSync(bucket)).toBe(false);
});

test.each([
  ['no JSON', '{', /are not understood/],
  ['another version', '{"version":2}', /are not understood \(version/],
  ['a store that is no text', '{"version":1,"store":7}', /are not understood \(store/],
])('committed settings that are %s: a commit and a push go on', async (_, text, said) => {
  const { work } = team();
  using _work = work;
  work.write('.cc-snapshots/config.json', text);
  work.git('add', '-f', '.cc-snapshots/config.json', '.gitignore');
  work.git('commit', '--quiet', '-m', 'settings');
  work.session().say('the question');
  const ran = work.commit();
  expect([ran.code, ran.stderr]).toEqual([0, expect.stringContaining('Captured')]);
  expect(work.run('git', ['push', '--quiet', 'origin', 'main'])).toMatchObject({ code: 0, stderr: expect.stringMatching(said) });
  expectPlainFailure(work.cc('cc-context', 'push'), said);
});

test('stores that are not understood', () => {
  const { work } = team();
  using _ = work;
  expectPlainFailure(work.cc('init', '--store', 'ftp://x'), /names no kind of store that is known\.\nIt begins with one of: s3:/);
  expectPlainFailure(work.cc('init', '--store', 'npm:not-there'), /The adapter not-there is not installed/);
  expectPlainFailure(work.cc('init', '--store', 'npm:../../evil'), /names no npm package/);
  expectPlainFailure(work.cc('cc-context', 'push'), /has no store that a team shares/);
  expect(existsSync(join(work.dir, '.cc-snapshots'))).toBe(false);
});

test('a repository cannot take an adapter over that was agreed to', async () => {
  const { work, bucket } = team();
  using _ = work;
  work.git('config', 'cc-context.store', STORE);
  const evil = "import { writeFileSync } from 'node:fs';\nwriteFileSync('ran', '');\nexport default () => ({});\n";
  work.write('package.json', JSON.stringify({ name: 'folder-adapter', type: 'module', exports: './evil.js' }));
  work.write('evil.js', evil);
  work.session().say('the question');
  work.commit();
  expect(work.cc('cc-context', 'push').code).toBe(0);
  expect([existsSync(join(work.dir, 'ran')), objects(bucket).length]).toEqual([false, 2]);
  work.write('node_modules/folder-adapter/index.js', evil);
  work.git('add', '-f', 'node_modules/folder-adapter/index.js');
  work.session().say('another');
  work.commit();
  expectPlainFailure(work.cc('cc-context', 'push'), /is part of this repository, not installed/);
  expectPlainFailure(work.cc('init', '--store', 'npm:fs'), /is not a package in this repository's node_modules|is not installed/);
  expect(existsSync(join(work.dir, 'ran'))).toBe(false);
});

test.each([
  ['npm:x?\u001b[2K\r\u001b]0;pwned\u0007This is fine', /are not understood \(store/],
  ['s3://bucket/p?%65ndpoint=https://evil.example', /names no|is not written as it is used/],
  ['s3://bucket/p?endpoint=http://2130706433:9', /is not written as it is used/],
  ['s3://bucket/a/../b', /is not written as it is used/],
])('settings that show something else than they use are refused: %j', (store, said) => {
  const { work } = team();
  using _ = work;
  work.write('.cc-snapshots/config.json', JSON.stringify({ version: 1, store, push: { require: true } }));
  work.git('add', '-f', '.cc-snapshots/config.json');
  work.git('commit', '--quiet', '-m', 'settings');
  const trusted = work.cc('init', '--trust');
  const pushed = work.run('git', ['push', 'origin', 'main']);
  const ran = work.cc('cc-context', 'push');
  expect(trusted.stderr + ran.stderr).toMatch(said);
  expect(trusted.stdout + trusted.stderr + ran.stderr + pushed.stderr).not.toMatch(/[\u001b\u0007]/);
});

test('whoever has not agreed to a store can push, whatever the repository requires; what is here stays readable', async () => {
  const { work } = team();
  using _ = work;
  work.write('.cc-snapshots/config.json', JSON.stringify({ version: 1, store: STORE, push: { require: true } }));
  work.git('add', '-f', '.cc-snapshots/config.json', '.gitignore');
  work.session().say('the question');
  work.commit();
  expect(work.run('git', ['push', 'origin', 'main']).code).toBe(0);
  work.write('.cc-snapshots/config.json', 'version https://git-lfs.github.com/spec/v1');
  work.git('add', '-f', '.cc-snapshots/config.json');
  work.git('commit', '--quiet', '-m', 'not understood');
  expect(work.cc('restore', '--dry-run', 'HEAD~1').code).toBe(0);
  work.git('config', 'cc-context.store', STORE);
  expect(work.cc('cc-context', 'push').code).toBe(0);
});
