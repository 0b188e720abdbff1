import { chmodSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { type HookedRepo, hooked, tree } from '../helpers/hooks.ts';
import { createRepo, type TestRepo } from '../helpers/repo.ts';

const hook = (repo: TestRepo, name: string) => join(repo.dir, '.git/hooks', name);
const shim = (repo: TestRepo, name: string) => join(repo.dir, '.git/cc-context/hooks', name);

/** What can happen to a repository that was set up: [what, how, the sentence that cc-status says]. */
const DAMAGE: [string, (repo: TestRepo, hooks: HookedRepo) => void, (repo: TestRepo) => string][] = [
  [
    'a hook was overwritten',
    (repo) => writeFileSync(hook(repo, 'pre-commit'), '#!/bin/sh\n'),
    (repo) => `pre-commit in ${repo.dir}/.git/hooks does not call cc-context. Run: cc-init`,
  ],
  [
    'hooks were deleted',
    (repo) => {
      for (const name of ['pre-commit', 'post-commit', 'pre-push']) rmSync(hook(repo, name));
    },
    (repo) => `pre-commit, post-commit and pre-push in ${repo.dir}/.git/hooks do not call cc-context. Run: cc-init`,
  ],
  [
    'the line was commented out',
    (repo) => writeFileSync(hook(repo, 'pre-push'), repo.run('sed', ['2s/^/# /', hook(repo, 'pre-push')]).stdout),
    (repo) => `pre-push in ${repo.dir}/.git/hooks does not call cc-context. Run: cc-init`,
  ],
  [
    'a hook lost its mode',
    (repo) => chmodSync(hook(repo, 'pre-commit'), 0o644),
    (repo) => `Git ignores hooks that are not executable. Run: chmod +x ${hook(repo, 'pre-commit')}`,
  ],
  [
    'a shim was deleted',
    (repo) => rmSync(shim(repo, 'post-commit')),
    (repo) => `Hooks of cc-context are missing or not executable in ${shim(repo, '.')}. Run: cc-init`,
  ],
  [
    'the package was removed',
    (_, hooks) => rmSync(hooks.shims.entry),
    (repo) =>
      `The cc-context that the hooks start is gone (${repo.home}/package/dist/hook.js). Install it again, then run: cc-init`,
  ],
  [
    'another hooks directory was set',
    (repo) => repo.git('config', 'core.hooksPath', 'team'),
    (repo) =>
      `pre-commit, post-commit, post-checkout, post-rewrite and pre-push in ${repo.dir}/team do not call cc-context. Run: cc-init`,
  ],
];

test.each(DAMAGE)('%s', async (_, damage, sentence) => {
  using repo = createRepo();
  const hooks = hooked(repo);
  await hooks.init();
  damage(repo, hooks);
  const before = tree(repo.dir);
  expect(await hooks.check()).toEqual({
    ok: false,
    problems: [sentence(repo).replace('/hooks/.', '/hooks').replace('/.)', ')')],
  });
  expect(tree(repo.dir)).toEqual(before);
});

test('cc-init was never run', async () => {
  using repo = createRepo();
  expect(await hooked(repo).check()).toEqual({
    ok: false,
    problems: ['cc-context is not set up in this repository. Run: cc-init'],
  });
});

test('a hooks directory that is a file: one sentence, and no trace', async () => {
  using repo = createRepo();
  repo.git('config', 'core.hooksPath', 'file');
  repo.write('file', '');
  const before = tree(repo.dir);
  const hooks = hooked(repo);
  await expect(hooks.init()).rejects.toMatchObject({
    name: 'UserError',
    message: `The hook ${repo.dir}/file cannot be written (EEXIST).`,
  });
  await hooks.init({ uninstall: true });
  expect(tree(repo.dir)).toEqual(before);
});
