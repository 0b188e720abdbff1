import { join } from 'node:path';
import { expect, test } from 'vitest';
import { hooked } from '../helpers/hooks.ts';
import { createRepo, type TestRepo } from '../helpers/repo.ts';

const ID = `ctx-550e8400${'0'.repeat(56)}`;
const LINE = 'cc-context: this commit has a Claude context (ctx-550e8400). To bring it back: cc-restore\n';

/** A repository with the branches `main` (no context at its tip) and `work`, whose tip adds these files. */
async function withContexts(...files: string[]): Promise<TestRepo> {
  const repo = createRepo();
  repo.commit();
  repo.git('switch', '--quiet', '-c', 'work');
  for (const file of files) repo.write(file, '{}');
  repo.git('add', '.');
  repo.git('commit', '-m', 'context');
  repo.git('switch', '--quiet', 'main');
  await hooked(repo).init();
  return repo;
}

const says = (repo: TestRepo, ...args: string[]) => repo.run('git', args).stderr;

test('one line for the commit that owns a context, none for files or the same commit', async () => {
  using repo = await withContexts(`.cc-snapshots/2026/01/02/${ID}.json`, '.cc-snapshots/.gitattributes');
  expect(says(repo, 'switch', '--quiet', 'work')).toBe(LINE);
  expect(says(repo, 'switch', '--quiet', '-c', 'same')).toBe('');
  expect(says(repo, 'checkout', '--', 'file.txt')).not.toContain('cc-context');
  repo.commit('a child without a context');
  expect(says(repo, 'switch', '--quiet', 'main')).toBe('');
  expect(says(repo, 'switch', '--quiet', 'same')).toBe('');
  expect(says(repo, 'checkout', '--quiet', 'work')).toBe(LINE);
});

test('several contexts are counted', async () => {
  using repo = await withContexts(`.cc-snapshots/2026/01/02/${ID}.json`, `.cc-snapshots/2026/01/03/ctx-${'a'.repeat(64)}.json`);
  expect(says(repo, 'switch', '--quiet', 'work')).toBe(
    'cc-context: this commit has 2 Claude contexts. To bring them back: cc-restore\n',
  );
});

test('a root commit and a merge that add one', async () => {
  using repo = createRepo();
  repo.write(`.cc-snapshots/2026/01/02/${ID}.json`, '{}');
  repo.git('add', '.');
  repo.git('commit', '-m', 'root');
  repo.git('branch', 'root');
  repo.git('switch', '--quiet', '-c', 'side');
  repo.commit();
  repo.git('switch', '--quiet', '-c', 'merge', 'root');
  repo.git('merge', '--no-ff', '--no-commit', 'side');
  repo.write(`.cc-snapshots/2026/01/02/ctx-${'b'.repeat(64)}.json`, '{}');
  repo.git('add', '.');
  repo.git('commit', '-m', 'merge');
  await hooked(repo).init();
  expect(says(repo, 'switch', '--quiet', 'root')).toBe(LINE);
  expect(says(repo, 'switch', '--quiet', 'merge')).toContain('(ctx-bbbbbbbb)');
});

test('names from a hostile repository are not repeated', async () => {
  using repo = await withContexts(
    `.cc-snapshots/2026/01/02/ctx-${'A'.repeat(64)}.json`,
    `.cc-snapshots/2026/01/02/ctx-${'a'.repeat(63)}.json`,
    `.cc-snapshots/2026/01/02/ctx-\u001b]52;c;${'a'.repeat(58)}.json`,
    `.cc-snapshots/a\n.cc-snapshots/2026/01/02/${ID}.json`,
    `elsewhere/.cc-snapshots/2026/01/02/${ID}.json`,
  );
  expect(says(repo, 'switch', '--quiet', 'work')).toBe('');
});

test('silent in a new worktree, a clone, a rebase and a bisection', async () => {
  using repo = await withContexts(`.cc-snapshots/2026/01/02/${ID}.json`);
  expect(says(repo, 'worktree', 'add', '--quiet', '../tree', 'work')).toBe('');
  repo.git('worktree', 'remove', '../tree');
  repo.git('config', '--global', 'core.hooksPath', join(repo.dir, '.git/hooks'));
  expect(says(repo, 'clone', '--quiet', '--branch', 'work', '.', '../clone')).toBe('');

  repo.write('other.txt', '');
  repo.git('add', '.');
  repo.git('commit', '-m', 'to be rebased');
  for (const backend of ['--merge', '--apply']) {
    repo.git('switch', '--quiet', '-C', 'rebased', 'main');
    expect(says(repo, 'rebase', '--quiet', backend, 'work')).toBe('');
  }
  repo.git('switch', '--quiet', 'main');
  repo.git('bisect', 'start');
  expect(says(repo, 'checkout', '--quiet', 'work')).toBe('');
});
