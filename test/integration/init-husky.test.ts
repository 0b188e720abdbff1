import { rmSync, symlinkSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import { renderInit } from '../../src/commands/init.ts';
import { hooked, tree } from '../helpers/hooks.ts';
import { createRepo, type TestRepo } from '../helpers/repo.ts';

const CLAUDE = { CLAUDECODE: '1' };
const HUSKY = join(dirname(createRequire(import.meta.url).resolve('husky')), 'bin.js');

/** The real husky 9, as `npx husky` runs it. */
function husky(repo: TestRepo, cwd = repo.dir): void {
  const { code, stdout } = repo.run(process.execPath, [HUSKY], { cwd });
  expect([code, stdout]).toEqual([0, '']);
}

test('the line goes into .husky/<hook>; husky keeps its own files and its setting', async () => {
  using repo = createRepo();
  husky(repo);
  repo.write('.husky/pre-commit', 'echo from-husky\n', 0o644);
  const before = tree(repo.dir);
  const hooks = hooked(repo);
  const result = await hooks.init();
  expect(result).toMatchObject({ manager: 'husky', hooks_dir: join(repo.dir, '.husky'), capture: { ok: true } });
  expect(renderInit(result)).toContain('Commit them: git add .husky/pre-commit .husky/post-commit');
  expect(repo.git('config', 'core.hooksPath')).toBe('.husky/_');
  const installed = tree(repo.dir);
  expect(installed['.husky/pre-commit']).toMatch(/^644 .* # cc-context\necho from-husky\n$/);
  husky(repo);
  await hooks.init();
  expect(tree(repo.dir)).toEqual(installed);

  const { stderr } = repo.run('git', ['commit', '--allow-empty', '-m', 'one'], { env: CLAUDE });
  expect(stderr).toContain('from-husky');
  await hooks.called('post-commit');
  expect(hooks.calls()).toEqual(['pre-commit', 'post-commit']);

  await hooks.init({ uninstall: true });
  const without = (all: Record<string, string>) =>
    Object.fromEntries(Object.entries(all).filter(([path]) => !/^\.git\//.test(path)));
  expect(without(tree(repo.dir))).toEqual(without(before));
  expect(repo.git('config', 'core.hooksPath')).toBe('.husky/_');
});

test('for a teammate without cc-context the committed lines do nothing', async () => {
  using repo = createRepo();
  husky(repo);
  await hooked(repo).init();
  repo.git('add', '.husky');
  repo.git('commit', '-m', 'hooks');
  repo.git('clone', '--quiet', '.', '../clone');
  const clone = join(repo.dir, '../clone');
  husky(repo, clone);
  const { code, stderr } = repo.run('git', ['commit', '--allow-empty', '-m', 'one'], { cwd: clone, env: CLAUDE });
  expect([code, stderr]).toEqual([0, '']);
});

test('a worktree that husky was not installed in is noticed, and works once it is', async () => {
  using repo = createRepo();
  husky(repo);
  const hooks = hooked(repo);
  await hooks.init();
  repo.git('add', '.husky');
  repo.git('commit', '-m', 'hooks');
  repo.git('worktree', 'add', '--quiet', '../tree');
  const worktree = join(repo.dir, '../tree');
  const check = await hooks.check(worktree);
  expect(check.problems).toEqual([expect.stringMatching(/^No Git hook runs in this work tree: husky .* Run: npx husky$/)]);
  const problems = (await hooks.init({ cwd: worktree })).capture?.problems;
  expect(problems).toEqual(check.problems);

  husky(repo, worktree);
  expect(await hooks.check(worktree)).toEqual({ ok: true, problems: [] });
  repo.run('git', ['commit', '--allow-empty', '-m', 'one'], { cwd: worktree, env: CLAUDE });
  expect(hooks.calls()).toContain('pre-commit');
});

test('husky that comes later is noticed; cc-init follows it, --uninstall cleans both places', async () => {
  using repo = createRepo();
  const before = tree(repo.dir);
  const hooks = hooked(repo);
  await hooks.init();
  husky(repo);
  expect((await hooks.check()).problems).toEqual([expect.stringMatching(/do not call cc-context .*\. Run: cc-init$/)]);
  await hooks.init();
  expect(await hooks.check()).toEqual({ ok: true, problems: [] });
  await hooks.init({ uninstall: true });
  rmSync(join(repo.dir, '.husky/_'), { recursive: true });
  expect(Object.keys(tree(join(repo.dir, '.husky')))).toEqual(['']);
  repo.git('config', '--unset', 'core.hooksPath');
  expect(tree(join(repo.dir, '.git/hooks'))).toEqual(
    Object.fromEntries(
      Object.entries(before)
        .filter(([path]) => path.startsWith('.git/hooks'))
        .map(([path, content]) => [path.slice('.git/hooks/'.length), content]),
    ),
  );
});

test('the older form of a husky script starts itself anew: the line comes after that', async () => {
  using repo = createRepo();
  repo.git('config', 'core.hooksPath', '.husky');
  // husky 8's own husky.sh, shortened to what it does.
  repo.write(
    '.husky/_/husky.sh',
    'if [ -z "$husky_skip_init" ]; then\n  export husky_skip_init=1\n  sh -e "$0" "$@"\n  exit $?\nfi\n',
  );
  repo.write('.husky/pre-commit', '#!/usr/bin/env sh\n. "$(dirname -- "$0")/_/husky.sh"\n\necho from-husky\n', 0o755);
  const hooks = hooked(repo);
  await hooks.init();
  repo.run('git', ['commit', '--allow-empty', '-m', 'one'], { env: CLAUDE });
  await hooks.called('post-commit');
  expect(hooks.calls()).toEqual(['pre-commit', 'post-commit']);
});

test('a husky script that is a symbolic link is not followed', async () => {
  using repo = createRepo();
  husky(repo);
  const outside = repo.write('../outside', 'echo outside\n');
  symlinkSync(outside, join(repo.dir, '.husky/pre-commit'));
  const result = await hooked(repo).init();
  expect(result.hooks[0]?.change).toBe('by-hand');
  expect(result.capture?.problems).toEqual([expect.stringContaining('Add this line to its script: cc_context=')]);
  expect(repo.run('cat', [outside]).stdout).toBe('echo outside\n');
});
