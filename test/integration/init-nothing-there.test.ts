import { existsSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { renderInit } from '../../src/commands/init.ts';
import { HOOK_NAMES } from '../../src/git/hooks/line.ts';
import { hooked, tree } from '../helpers/hooks.ts';
import { createRepo } from '../helpers/repo.ts';

const CLAUDE = { CLAUDECODE: '1' };

test('installs all hooks, which fire on commit, amend and push', async () => {
  using repo = createRepo();
  const hooks = hooked(repo);
  const result = await hooks.init();
  expect(result.hooks.map(({ hook, change }) => [hook, change])).toEqual(HOOK_NAMES.map((hook) => [hook, 'created']));
  expect(result.capture).toEqual({ ok: true, problems: [] });
  expect(renderInit(result)).toContain(
    `✓ cc-context is set up in ${repo.dir}\n  Git hooks in .git/hooks:\n  - pre-commit: created`,
  );

  const committed = repo.run('git', ['commit', '--allow-empty', '-m', 'one'], { env: CLAUDE });
  expect(committed.code).toBe(0);
  expect(committed.stderr).toContain('recorded'); // the foreground hook may speak
  await hooks.called('post-commit');
  expect(hooks.calls()).toEqual(['pre-commit', 'post-commit']);

  hooks.forget();
  repo.write('.git/cc-context/state.db', ''); // where nothing was ever captured, nothing has to be followed
  repo.git('commit', '--amend', '--allow-empty', '-m', 'two');
  await hooks.called('post-rewrite amend');
  expect(hooks.calls()).toEqual(['post-rewrite amend']);
});

test('a second cc-init changes no byte', async () => {
  using repo = createRepo();
  const hooks = hooked(repo);
  await hooks.init();
  const before = tree(repo.dir);
  const again = await hooks.init();
  expect(tree(repo.dir)).toEqual(before);
  expect(again.hooks.every(({ change }) => change === 'kept')).toBe(true);
  expect(renderInit(again)).toBe(`✓ cc-context is set up already in ${repo.dir}`);
});

test('a second cc-init brings the paths in the shims up to date', async () => {
  using repo = createRepo({ name: `it's $HOME "there"` });
  const hooks = hooked(repo);
  hooks.shims.node = '/nowhere/node';
  await hooks.init();
  expect((await hooks.check()).problems).toEqual([expect.stringContaining('/nowhere/node')]);

  const odd = join(repo.dir, `$(touch pwned) 'node' & $1`);
  repo.run('ln', ['-s', process.execPath, odd]);
  hooks.shims.node = odd;
  await hooks.init();
  expect(await hooks.check()).toEqual({ ok: true, problems: [] });
  repo.run('git', ['commit', '--allow-empty', '-m', 'one'], { env: CLAUDE });
  expect(hooks.calls()).toContain('pre-commit');
  expect(existsSync(join(repo.dir, 'pwned'))).toBe(false);
});

test.each(['with its record', 'without its record'])('--uninstall restores every byte, %s', async (how) => {
  using repo = createRepo();
  const hooks = hooked(repo);
  const before = tree(repo.dir);
  await hooks.init();
  if (how === 'without its record') rmSync(join(repo.dir, '.git/cc-context/hooks.json'));
  const result = await hooks.init({ uninstall: true });
  expect(tree(repo.dir)).toEqual(before);
  expect(result.hooks.map(({ change }) => change)).toEqual(HOOK_NAMES.map(() => 'removed'));
  expect(renderInit(result)).toMatch(/cc-context is removed from .*What was captured stays/s);
});

test('--uninstall leaves the local state, and hooks that were written since', async () => {
  using repo = createRepo();
  const hooks = hooked(repo);
  await hooks.init();
  repo.write('.git/cc-context/state.db', 'state');
  const own = repo.write('.git/hooks/pre-commit', `${repo.run('cat', ['.git/hooks/pre-commit']).stdout}exit 7\n`, 0o755);
  await hooks.init({ uninstall: true });
  expect(repo.run('cat', [own]).stdout).toBe('#!/bin/sh\nexit 7\n');
  expect(tree(join(repo.dir, '.git/cc-context'))).toEqual({ '': 'directory 700', 'state.db': '644 state' });
});

test('a hooks directory that is not there is made, and removed again', async () => {
  using repo = createRepo();
  rmSync(join(repo.dir, '.git/hooks'), { recursive: true });
  const hooks = hooked(repo);
  const before = tree(repo.dir);
  await hooks.init();
  repo.run('git', ['commit', '--allow-empty', '-m', 'one'], { env: CLAUDE });
  expect(hooks.calls()).toContain('pre-commit');
  await hooks.called('post-commit');
  await hooks.init({ uninstall: true });
  expect(tree(join(repo.dir, '.git/hooks'))).toEqual({});
  expect(Object.keys(before)).not.toContain('.git/cc-context');
  expect(existsSync(join(repo.dir, '.git/cc-context'))).toBe(false);
});

test.each([
  ['outside a repository', (repo: ReturnType<typeof createRepo>) => repo.home, 'not a Git repository'],
  [
    'in a bare repository',
    (repo: ReturnType<typeof createRepo>) => (repo.git('init', '--bare', '../bare'), join(repo.dir, '../bare')),
    'bare',
  ],
])('%s it ends with one sentence', async (_, where, sentence) => {
  using repo = createRepo();
  const hooks = hooked(repo);
  await expect(hooks.init({ cwd: where(repo) })).rejects.toMatchObject({
    name: 'UserError',
    message: expect.stringContaining(sentence),
    next: expect.any(String),
  });
});

test('whatever the umask, only the owner comes into what cc-init makes for itself', async () => {
  using repo = createRepo();
  const umask = process.umask(0);
  try {
    await hooked(repo).init();
  } finally {
    process.umask(umask);
  }
  const made = tree(join(repo.dir, '.git/cc-context'));
  expect([made[''], made['hooks']]).toEqual(['directory 700', 'directory 700']);
});

test.each(['repo\n', 'a\nb'])('a path with a line break (%j) is refused: part of it may be another repository', async (name) => {
  using other = createRepo({ name: 'repo' });
  const broken = join(other.dir, '..', name);
  other.git('init', '--quiet', broken);
  const hooks = hooked(other);
  await expect(hooks.init({ cwd: broken })).rejects.toThrow(
    'The path of this repository holds a line break, which is not supported.',
  );
  expect(existsSync(join(other.dir, '.git/cc-context'))).toBe(false);
});
