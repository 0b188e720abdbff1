import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { beforeAll, describe, expect, test } from 'vitest';
import { hooked, tree } from '../helpers/hooks.ts';
import { createRepo, type TestRepo } from '../helpers/repo.ts';

const CLAUDE = { CLAUDECODE: '1' };
const VERSION = '2.2.2';

const CACHE = fileURLToPath(new URL(`../../node_modules/.cache/cc-context/lefthook/${VERSION}`, import.meta.url));
const lefthook = join(CACHE, 'node_modules/lefthook/bin/index.js');

beforeAll(() => {
  if (existsSync(lefthook)) return;
  mkdirSync(CACHE, { recursive: true });
  writeFileSync(join(CACHE, 'package.json'), '{"private":true}\n');
  const quiet = ['--ignore-scripts', '--no-audit', '--no-fund', '--no-package-lock', '--prefer-offline', '--loglevel=error'];
  execFileSync('npm', ['install', '--prefix', CACHE, ...quiet, `lefthook@${VERSION}`], { cwd: CACHE });
}, 120_000);

/** A repository with the real lefthook's configuration of one command. */
function withLefthook(): TestRepo {
  const repo = createRepo();
  repo.write('lefthook.yml', 'pre-commit:\n  commands:\n    mine:\n      run: echo mine >>"$HOME/mine"\n');
  return repo;
}

function install(repo: TestRepo): void {
  expect(repo.run(process.execPath, [lefthook, 'install']).code).toBe(0);
}

describe('lefthook', () => {
  test('installed before: its file gets the line, both run, and it comes back byte for byte', async () => {
    using repo = withLefthook();
    install(repo);
    const before = tree(join(repo.dir, '.git/hooks'));
    const hooks = hooked(repo);
    const result = await hooks.init();
    expect(result).toMatchObject({ manager: 'lefthook', capture: { ok: true } });
    expect(result.notes.join()).toContain('`lefthook install` may replace these files');
    repo.commit('one', CLAUDE); // lefthook skips a commit without files
    expect(readFileSync(join(repo.home, 'mine'), 'utf8')).toBe('mine\n');
    await hooks.called('post-commit');
    expect(hooks.calls()).toEqual(['pre-commit', 'post-commit']);
    await hooks.init({ uninstall: true });
    expect(tree(join(repo.dir, '.git/hooks'))).toEqual(before);
  });

  test('installed later: it moves ours to .old and runs it no more, which is noticed and mended', async () => {
    using repo = withLefthook();
    const hooks = hooked(repo);
    await hooks.init();
    install(repo);
    expect((await hooks.check()).problems).toEqual([
      expect.stringMatching(/^pre-commit in .* does not call cc-context \(lefthook may have replaced it\)\. Run: cc-init$/),
    ]);
    await hooks.init();
    expect(await hooks.check()).toEqual({ ok: true, problems: [] });
    const installed = join(repo.dir, '.git/hooks/pre-commit.old');
    expect(existsSync(installed)).toBe(true);
    await hooks.init({ uninstall: true });
    expect(existsSync(installed)).toBe(false);
  });

  test('installed again: it drops the line from its own file, which is noticed', async () => {
    using repo = withLefthook();
    install(repo);
    const hooks = hooked(repo);
    await hooks.init();
    expect(repo.run(process.execPath, [lefthook, 'install', '--force']).code).toBe(0);
    expect((await hooks.check()).ok).toBe(false);
    await hooks.init();
    expect(await hooks.check()).toEqual({ ok: true, problems: [] });
  });
});
