import { existsSync, globSync, renameSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test, vi } from 'vitest';
import type { GcResult } from '../../src/commands/gc.ts';
import type { Status } from '../../src/commands/status.ts';
import { openDatabase } from '../../storage-adapters/sqlite/database.ts';
import { installFolderAdapter } from '../helpers/folder-adapter.ts';
import { talkAndCommit } from '../helpers/history.ts';
import { expectPlainFailure } from '../helpers/plain-sentence.ts';
import { settled } from '../helpers/settled.ts';
import { statePath, storePath } from '../helpers/store-file.ts';
import { createWorkplace, type Workplace } from '../helpers/workplace.ts';

const LONG_AGO = Date.now() - 40 * 24 * 60 * 60 * 1000;

/** Everything in the store of this machine was put 40 days ago. */
function age(work: Workplace): void {
  const database = openDatabase(storePath(work), { timeout: 5000, durable: true });
  database.prepare('UPDATE object SET created_at = ?').run(new Date(LONG_AGO).toISOString());
  database.close();
}

function keys(work: Workplace, prefix: string): string[] {
  const database = openDatabase(storePath(work), { timeout: 5000, durable: true });
  const rows = database.prepare('SELECT key FROM object WHERE key LIKE ?').all(`${prefix}%`);
  database.close();
  return rows.map(({ key }) => key as string);
}

/** Nothing names the last commit any more, neither a ref nor a reflog. */
function drop(work: Workplace, to = 'HEAD~1'): void {
  work.git('reset', '--quiet', '--hard', to);
  work.git('reflog', 'expire', '--expire=now', '--all');
}

const gc = (work: Workplace, ...args: string[]) => work.json<GcResult>('cc-context', 'gc', ...args);
const manifestOf = (id: string) => `manifests/${id.slice(4)}`;

test('this machine: what no ref names any more is found, kept while young, and removed with --prune', async () => {
  using work = createWorkplace();
  const session = work.session();
  talkAndCommit(work, session, 'one');
  const kept = work.contexts()[0] as string;
  const other = work.session();
  const dropped = talkAndCommit(work, other, 'two');
  await settled(work);
  age(work);
  expect(gc(work)).toMatchObject({ contexts: [], blobs: 0 });
  work.git('reset', '--quiet', '--hard', 'HEAD~1');
  expect(gc(work)).toMatchObject({ contexts: [], blobs: 0 }); // the reflog names it
  drop(work, 'HEAD');
  expect(gc(work, '--grace', '50')).toMatchObject({ contexts: [], young: 1 });
  const found = gc(work);
  expect(found).toMatchObject({ shared: false, pruned: false, contexts: [dropped], blobs: 0 });
  expect(found.bytes).toBeGreaterThan(100);
  expect(work.cc('cc-context', 'gc').stdout).toMatch(
    new RegExp(
      `^Would remove 1 context and 0 blobs \\(\\d+ kB\\) from sqlite:.*\\n  - ${dropped.slice(0, 12)}\\nNothing was removed. Do it with: cc-context gc --prune\\n$`,
    ),
  );
  expect(keys(work, 'manifests/')).toHaveLength(2);
  // The next capture would go on from what the session has stored: that stays until the session is gone.
  rmSync(other.path);
  const database = openDatabase(statePath(work), { timeout: 5000, durable: false });
  database.prepare('DELETE FROM progress WHERE path = ?').run(other.path);
  database.close();
  expect(gc(work)).toMatchObject({ contexts: [dropped], blobs: 1 });
  expect(gc(work, '--prune')).toMatchObject({ pruned: true, contexts: [dropped], blobs: 1 });
  expect(keys(work, 'manifests/')).toEqual([manifestOf(kept)]);
  expect(work.cc('cc-context', 'verify').code).toBe(0);
  expect(gc(work, '--prune')).toMatchObject({ contexts: [], blobs: 0 });
  expect(work.cc('cc-context', 'gc').stdout).toMatch(/^✓ Nothing to remove from sqlite:/);
});

test('what is named by a tag, a detached worktree, the index of one, or waits for its commit, stays', async () => {
  using work = createWorkplace();
  talkAndCommit(work, work.session(), 'one');
  for (const [name, keep] of [
    ['tagged', () => work.git('tag', 'keep')],
    ['in a worktree', () => work.git('worktree', 'add', '--quiet', '--detach', '../tree', 'HEAD')],
    ['in the index', () => void work.git('worktree', 'add', '--quiet', '../index', 'HEAD~1')],
  ] as const) {
    talkAndCommit(work, work.session(), name);
    keep();
    if (name === 'in the index')
      work.run('git', ['read-tree', work.git('rev-parse', 'HEAD')], { cwd: join(work.dir, '../index') });
    await settled(work);
    drop(work);
  }
  work.session().say('never committed');
  work.write('file.txt', 'new');
  work.git('add', 'file.txt');
  expect(work.run('git', ['commit', '-m', 'aborted'], { env: { GIT_EDITOR: 'false' } }).code).toBe(0);
  work.session().say('aborted');
  work.write('file.txt', 'newer');
  work.git('add', 'file.txt');
  expect(work.run('git', ['commit'], { env: { GIT_EDITOR: 'false' } }).code).toBe(1);
  await settled(work);
  age(work);
  expect(keys(work, 'manifests/')).toHaveLength(6);
  expect(gc(work, '--prune', '--grace', '0')).toMatchObject({ contexts: [] });
  expect(keys(work, 'manifests/')).toHaveLength(6);
});

test('what another repository on this machine needs stays, and one that is not there blocks the removal', async () => {
  using work = createWorkplace();
  talkAndCommit(work, work.session(), 'one');
  const shared = talkAndCommit(work, work.session(), 'two');
  await settled(work);
  const clone = join(work.dir, '../clone');
  work.git('clone', '--quiet', work.dir, clone);
  expect(work.cc('show', '-C', clone).code).toBe(0);
  drop(work);
  age(work);
  expect(gc(work, '--prune')).toMatchObject({ contexts: [] });
  expect(work.cc('show', '-C', clone).code).toBe(0);
  // Gone, or only not mounted now.
  renameSync(clone, `${clone}-away`);
  expect(gc(work)).toMatchObject({ contexts: [shared], warnings: [expect.stringContaining('is not known')] });
  expectPlainFailure(work.cc('cc-context', 'gc', '--prune'), /used by 1 repository not to be found now \(.*clone\/.git\)/);
  renameSync(`${clone}-away`, clone);
  expect(gc(work, '--prune')).toMatchObject({ contexts: [] });
  rmSync(clone, { recursive: true });
  expect(gc(work, '--prune', '--forget-missing')).toMatchObject({ contexts: [shared] });
  expect(work.cc('cc-context', 'verify').code).toBe(0);
});

test('contexts of other repositories are not this one’s to remove', async () => {
  using work = createWorkplace();
  talkAndCommit(work, work.session(), 'one');
  const elsewhere = join(work.dir, '../elsewhere');
  work.git('init', '--quiet', elsewhere);
  work.run('git', ['commit', '--quiet', '--allow-empty', '-m', 'begin'], { cwd: elsewhere });
  work.cc('init', '-C', elsewhere);
  age(work);
  work.git('update-ref', '-d', 'refs/heads/main');
  work.git('reflog', 'expire', '--expire=now', '--all');
  expect(work.json<GcResult>('cc-context', 'gc', '--grace', '0', '-C', elsewhere)).toMatchObject({ contexts: [], blobs: 0 });
});

test('a damaged object that stays: nothing is removed', async () => {
  using work = createWorkplace();
  talkAndCommit(work, work.session(), 'one');
  const [manifest = ''] = keys(work, 'manifests/');
  const session = work.session();
  talkAndCommit(work, session, 'two');
  await settled(work);
  drop(work);
  age(work);
  const database = openDatabase(storePath(work), { timeout: 5000, durable: true });
  database.prepare('UPDATE object SET bytes = ? WHERE key = ?').run(Buffer.from('no manifest'), manifest);
  database.close();
  expectPlainFailure(
    work.cc('cc-context', 'gc', '--prune'),
    /manifests\/.* is damaged\. What it needs is not known, so nothing is removed/,
  );
  expect(keys(work, 'manifests/')).toHaveLength(2);
});

test('inside a hook', () => {
  using work = createWorkplace();
  const ran = work.run(process.execPath, [join(work.bin, 'cc-context'), 'gc'], { env: { GIT_DIR: join(work.dir, '.git') } });
  expectPlainFailure(ran, /GIT_DIR is set/);
});

/** A repository with a store of its team, which does not tell when objects were put. */
function team(): { work: Workplace; bucket: string; there: (prefix: string) => string[] } {
  const work = createWorkplace();
  const bucket = installFolderAdapter(work);
  work.git('config', 'cc-context.store', 'npm:folder-adapter');
  const there = (prefix: string) =>
    globSync('**/*', { cwd: bucket })
      .filter((path) => path.startsWith(prefix))
      .sort();
  return { work, bucket, there };
}

/** What was seen in the team's store was seen 40 days ago. */
function seenLongAgo(work: Workplace): void {
  const database = openDatabase(statePath(work), { timeout: 5000, durable: false });
  expect(Number(database.prepare('UPDATE seen SET at = ?').run(LONG_AGO).changes)).toBeGreaterThan(0);
  database.close();
}

test('the team’s store: first seen counts as put; removed, told, and uploaded again by whoever needs it', async () => {
  const { work, bucket, there } = team();
  using _ = work;
  const kept = talkAndCommit(work, work.session(), 'one');
  work.git('checkout', '--quiet', '-b', 'topic');
  const topic = talkAndCommit(work, work.session(), 'two');
  await settled(work);
  expect(work.cc('cc-context', 'push').code).toBe(0);
  expect(there('manifests/')).toEqual([kept, topic].map(manifestOf).sort());
  // A colleague's clone on another machine has the branch.
  const clone = join(work.dir, '../clone');
  work.git('clone', '--quiet', work.dir, clone);
  installFolderAdapter(work, clone);
  work.run('git', ['config', 'cc-context.store', 'npm:folder-adapter'], { cwd: clone });
  expect(work.cc('show', '-C', clone).code).toBe(0);
  work.git('checkout', '--quiet', 'main');
  work.git('branch', '-D', 'topic');
  drop(work, 'HEAD');
  expect(gc(work, '--shared')).toMatchObject({ contexts: [], young: 0 }); // that clone is on this machine, and names it
  rmSync(clone, { recursive: true });
  expect(gc(work, '--shared')).toMatchObject({ contexts: [], young: 1 });
  expect(gc(work, '--shared')).toMatchObject({ contexts: [], young: 1 });
  seenLongAgo(work);
  expect(gc(work, '--shared')).toMatchObject({ shared: true, contexts: [topic], blobs: 1, foreign: 0 });
  expect(work.cc('cc-context', 'gc', '--shared').stdout).toMatch(
    /may serve other repositories.*\n.*cc-context gc --shared --prune\n$/,
  );
  expect(there('manifests/')).toHaveLength(2);
  expect(gc(work, '--shared', '--prune')).toMatchObject({ pruned: true, contexts: [topic], blobs: 1 });
  expect(there('manifests/')).toEqual([manifestOf(kept)]);
  expect(there('blobs/')).toHaveLength(1);
  expect(work.cc('cc-context', 'verify', '--shared').code).toBe(0);
  // Nobody uploads what was removed because nothing names it …
  expect(work.cc('cc-context', 'push').code).toBe(0);
  expect(work.json<Status>('status').store.pending_uploads).toBe(0);
  expect(there('manifests/')).toEqual([manifestOf(kept)]);
  expect(there('removals/')).toHaveLength(1);
  // … and what the store had before is not taken for granted any more.
  rmSync(join(bucket, manifestOf(kept)));
  expect(work.cc('cc-context', 'push').stdout).toMatch(/^✓ Nothing to upload/);
  writeFileSync(join(bucket, 'removals/x'), 'somebody removed something');
  talkAndCommit(work, work.session(), 'three');
  await settled(work);
  await vi.waitUntil(() => there('manifests/').length === 2, { timeout: 20_000, interval: 50 });
  expect(there('manifests/')).toContain(manifestOf(kept));
});

test('the team’s store: what may be another repository’s, or a branch of others, stays', async () => {
  const { work, there } = team();
  using _ = work;
  talkAndCommit(work, work.session(), 'one');
  await settled(work);
  work.cc('cc-context', 'push');
  // Another repository with the same store; on another machine, as far as this one knows.
  const other = createWorkplace({ begin: false });
  using _other = other;
  other.git('commit', '--quiet', '--allow-empty', '-m', 'begin another');
  other.git('config', 'cc-context.store', 'npm:folder-adapter');
  installFolderAdapter({ ...other, home: work.home });
  const foreign = talkAndCommit(other, other.session(), 'elsewhere');
  await settled(other);
  expect(other.cc('cc-context', 'push').code).toBe(0);
  expect(there('manifests/')).toHaveLength(2);
  gc(work, '--shared');
  seenLongAgo(work);
  expect(gc(work, '--shared', '--prune')).toMatchObject({ contexts: [], blobs: 0, foreign: 1 });
  expect(there('removals/')).toEqual([]);
  expect(gc(work, '--shared', '--foreign')).toMatchObject({ contexts: [foreign], blobs: 1 });
});

test('the team’s store: a clone that knows too little', async () => {
  const { work } = team();
  using _ = work;
  talkAndCommit(work, work.session(), 'one');
  work.commit();
  const clone = join(work.dir, '../clone');
  work.git('clone', '--quiet', '--depth', '1', `file://${work.dir}`, clone);
  installFolderAdapter(work, clone);
  work.run('git', ['config', 'cc-context.store', 'npm:folder-adapter'], { cwd: clone });
  const collect = () => work.cc('cc-context', 'gc', '--shared', '-C', clone);
  expectPlainFailure(collect(), /This clone is shallow.*\n.*git fetch --unshallow/);
  work.run('git', ['fetch', '--quiet', '--unshallow'], { cwd: clone });
  expect(collect().code).toBe(0);
  rmSync(join(clone, '.git/FETCH_HEAD'));
  expectPlainFailure(collect(), /never told of others.*\n.*git fetch --all/);
  expect(existsSync(join(clone, '.git/FETCH_HEAD'))).toBe(false);
});

test('the team’s store: what was put since the last fetch may be of a commit that is not known here', async () => {
  const { work, there } = team();
  using _ = work;
  work.git('init', '--quiet', '--bare', '../remote');
  work.git('remote', 'add', 'origin', '../remote');
  talkAndCommit(work, work.session(), 'one');
  const dropped = talkAndCommit(work, work.session(), 'two');
  await settled(work);
  work.cc('cc-context', 'push');
  drop(work);
  work.git('fetch', '--quiet');
  gc(work, '--shared');
  seenLongAgo(work);
  const fetched = new Date(LONG_AGO + 20 * 24 * 60 * 60 * 1000);
  utimesSync(join(work.dir, '.git/FETCH_HEAD'), fetched, fetched);
  expect(gc(work, '--shared', '--prune')).toMatchObject({ contexts: [], young: 1 });
  work.git('fetch', '--quiet');
  expect(gc(work, '--shared', '--prune')).toMatchObject({ contexts: [dropped], young: 0 });
  expect(there('manifests/')).toHaveLength(1);
});
