import { join } from 'node:path';
import { expect, test } from 'vitest';
import { hooked, tree } from '../helpers/hooks.ts';
import { createRepo } from '../helpers/repo.ts';

const CLAUDE = { CLAUDECODE: '1' };

test('cc-init in a linked worktree sets up all of them', async () => {
  using repo = createRepo();
  repo.commit();
  repo.git('worktree', 'add', '--quiet', '-b', 'one', '../tree one');
  const worktree = join(repo.dir, '../tree one');
  const before = tree(repo.dir);
  const hooks = hooked(repo);
  await hooks.init({ cwd: worktree });
  expect([await hooks.check(), await hooks.check(worktree)]).toEqual([
    { ok: true, problems: [] },
    { ok: true, problems: [] },
  ]);
  for (const cwd of [worktree, repo.dir]) {
    hooks.forget();
    repo.run('git', ['commit', '--allow-empty', '-m', 'one'], { cwd, env: CLAUDE });
    await hooks.called('post-commit');
    expect(hooks.calls()).toEqual(['pre-commit', 'post-commit']);
  }
  await hooks.init({ uninstall: true });
  expect(Object.keys(tree(join(repo.dir, '.git/hooks')))).toEqual(
    Object.keys(before).flatMap((path) => (path.startsWith('.git/hooks') ? [path.slice('.git/hooks/'.length)] : [])),
  );
});

test('worktrees around a bare repository', async () => {
  using repo = createRepo();
  repo.commit();
  repo.git('clone', '--quiet', '--bare', '.', '../project/.bare');
  const bare = join(repo.dir, '../project/.bare');
  expect(repo.run('git', ['worktree', 'add', '--quiet', '../main', 'main'], { cwd: bare }).code).toBe(0);
  const worktree = join(repo.dir, '../project/main');
  const hooks = hooked(repo);
  await hooks.init({ cwd: worktree });
  repo.run('git', ['commit', '--allow-empty', '-m', 'one'], { cwd: worktree, env: CLAUDE });
  await hooks.called('post-commit');
  expect(hooks.calls()).toEqual(['pre-commit', 'post-commit']);
  await expect(hooks.init({ cwd: bare })).rejects.toThrow('bare');
});

test('a git directory kept elsewhere', async () => {
  using repo = createRepo();
  repo.git('init', '--quiet', '--separate-git-dir', '../kept.git', '.');
  const hooks = hooked(repo);
  await hooks.init();
  repo.run('git', ['commit', '--allow-empty', '-m', 'one'], { env: CLAUDE });
  expect(hooks.calls()).toContain('pre-commit');
});
