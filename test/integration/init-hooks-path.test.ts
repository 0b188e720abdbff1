import { existsSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { wrapperHook } from '../../src/git/hooks/line.ts';
import { hooked, tree } from '../helpers/hooks.ts';
import { createRepo } from '../helpers/repo.ts';

const CLAUDE = { CLAUDECODE: '1' };

test('a core.hooksPath in the repository: its scripts get the line, to be committed', async () => {
  using repo = createRepo();
  repo.git('config', 'core.hooksPath', '.githooks');
  repo.write('.githooks/pre-commit', '#!/bin/sh\necho from-team\n', 0o755);
  const before = tree(repo.dir);
  const hooks = hooked(repo);
  const result = await hooks.init({ cwd: join(repo.dir, '.githooks') });
  expect(result).toMatchObject({ manager: null, hooks_dir: join(repo.dir, '.githooks'), capture: { ok: true } });
  expect(result.notes[0]).toMatch(/^Commit them: git add \.githooks\/pre-commit /);
  repo.write('sub/file', '');
  const { stderr } = repo.run('git', ['commit', '--allow-empty', '-m', 'one'], { cwd: join(repo.dir, 'sub'), env: CLAUDE });
  expect(stderr).toContain('from-team');
  await hooks.called('post-commit');
  expect(hooks.calls()).toEqual(['pre-commit', 'post-commit']);
  await hooks.init({ uninstall: true });
  expect(tree(join(repo.dir, '.githooks'))).toEqual({ '': 'directory 755', 'pre-commit': before['.githooks/pre-commit'] });
});

test('a global core.hooksPath: works here, does nothing in other repositories', async () => {
  using repo = createRepo();
  repo.git('config', '--global', 'core.hooksPath', '~/.githooks');
  const before = [tree(repo.dir), tree(repo.home, ['calls', 'package'])];
  const hooks = hooked(repo);
  const result = await hooks.init();
  expect(result.hooks_dir).toBe(join(repo.home, '.githooks'));
  expect(result.notes[0]).toMatch(/serves your other repositories too/);
  repo.git('init', '--quiet', '../other');
  const elsewhere = repo.run('git', ['commit', '--allow-empty', '-m', 'one'], { cwd: join(repo.dir, '../other'), env: CLAUDE });
  expect([elsewhere.code, elsewhere.stderr, hooks.calls()]).toEqual([0, '', []]);
  repo.git('clone', '--quiet', '../other', '../clone');

  repo.run('git', ['commit', '--allow-empty', '-m', 'one'], { env: CLAUDE });
  await hooks.called('post-commit');
  expect(hooks.calls()).toEqual(['pre-commit', 'post-commit']);
  repo.git('update-ref', '-d', 'HEAD');
  await hooks.init({ uninstall: true });
  expect(tree(repo.home, ['calls', 'package'])).toEqual(before[1]);
  expect(existsSync(join(repo.dir, '.git/cc-context'))).toBe(false);
});

test('core.hooksPath=/dev/null switches hooks off: cc-init says so and writes nothing', async () => {
  using repo = createRepo();
  repo.git('config', 'core.hooksPath', '/dev/null');
  const before = tree(repo.dir);
  const hooks = hooked(repo);
  await expect(hooks.init()).rejects.toThrow(/Git hooks are switched off here .*\/dev\/null/);
  expect((await hooks.check()).problems).toEqual([expect.stringContaining('switched off')]);
  expect(tree(repo.dir)).toEqual(before);
});

test('core.hooksPath is never set', async () => {
  using repo = createRepo();
  await hooked(repo).init();
  expect(repo.run('git', ['config', '--get-all', 'core.hooksPath']).code).toBe(1);
});

test('a copy of the repository is its own: uninstalling it leaves the original alone', async () => {
  using repo = createRepo();
  repo.git('config', 'core.hooksPath', '.githooks');
  const hooks = hooked(repo);
  await hooks.init();
  repo.run('cp', ['-R', repo.dir, `${repo.dir}-copy`]);
  const before = tree(repo.dir);
  await hooks.init({ uninstall: true, cwd: `${repo.dir}-copy` });
  expect(tree(repo.dir)).toEqual(before);
  expect(existsSync(`${repo.dir}-copy/.githooks`)).toBe(false);
});

describe('hooks that somebody else committed move nothing from elsewhere', () => {
  test.each([
    ['a path that leads out', 'before-cc-context/../../../home/key', ''],
    ['a link that leads out', 'before-cc-context/pre-commit', '.githooks/before-cc-context'],
  ])('%s', async (_, aside, link) => {
    using repo = createRepo();
    repo.git('config', 'core.hooksPath', '.githooks');
    for (const name of ['key', 'pre-commit']) writeFileSync(join(repo.home, name), 'mine');
    const path = repo.write('.githooks/pre-commit', wrapperHook('pre-commit', aside), 0o755);
    if (link === '') repo.write('.githooks/before-cc-context/file', '');
    else symlinkSync('../../home', join(repo.dir, link));
    await hooked(repo).init({ uninstall: true });
    expect(['key', 'pre-commit'].map((name) => readFileSync(join(repo.home, name), 'utf8'))).toEqual(['mine', 'mine']);
    expect(existsSync(path) ? readFileSync(path, 'utf8') : '').not.toBe('mine');
  });

  test('a link where a hook is put aside', async () => {
    using repo = createRepo();
    repo.git('config', 'core.hooksPath', '.githooks');
    repo.write('.githooks/pre-commit', '#!/usr/bin/env perl\nuse File::Basename; basename($0);\n', 0o755);
    symlinkSync('../../home', join(repo.dir, '.githooks/before-cc-context'));
    await hooked(repo).init();
    expect(existsSync(join(repo.home, 'pre-commit'))).toBe(false);
    expect(existsSync(join(repo.dir, '.githooks/pre-commit.before-cc-context'))).toBe(true);
  });

  test('a script that only speaks of us', async () => {
    using repo = createRepo();
    const path = repo.write('.git/hooks/pre-push', '#!/bin/sh\n# before-cc-context # cc-context\n', 0o755);
    await hooked(repo).init({ uninstall: true });
    expect(readFileSync(path, 'utf8')).toBe('#!/bin/sh\n# before-cc-context # cc-context\n');
  });
});
