import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { hooked, tree } from '../helpers/hooks.ts';
import { createRepo, type TestRepo } from '../helpers/repo.ts';

const CLAUDE = { CLAUDECODE: '1' };
const missing = spawnSync('pre-commit', ['--version']).status !== 0;

/** A repository whose framework runs one local check that always passes. */
function withFramework(): TestRepo {
  const repo = createRepo();
  repo.write(
    '.pre-commit-config.yaml',
    'repos:\n- repo: local\n  hooks:\n  - {id: mine, name: mine, entry: sh -c "echo mine >>$HOME/mine", language: system, always_run: true, pass_filenames: false}\n',
  );
  repo.git('add', '.');
  repo.git('commit', '-m', 'config');
  return repo;
}

function install(repo: TestRepo, ...args: string[]): void {
  expect(repo.run('pre-commit', ['install', ...args]).code).toBe(0);
}

describe.skipIf(missing && process.env['CI'] !== 'true')('the pre-commit framework', () => {
  test('installed before: its file gets the line, both run, and it comes back byte for byte', async () => {
    using repo = withFramework();
    install(repo);
    const before = tree(join(repo.dir, '.git/hooks'));
    const hooks = hooked(repo);
    const result = await hooks.init();
    expect(result).toMatchObject({ manager: 'pre-commit', capture: { ok: true } });
    expect(result.notes.join()).toContain('`pre-commit install` may replace these files');
    expect(repo.run('git', ['commit', '--allow-empty', '-m', 'one'], { env: CLAUDE }).code).toBe(0);
    expect(readFileSync(join(repo.home, 'mine'), 'utf8')).toBe('mine\n');
    await hooks.called('post-commit');
    expect(hooks.calls()).toEqual(['pre-commit', 'post-commit']);
    await hooks.init({ uninstall: true });
    expect(tree(join(repo.dir, '.git/hooks'))).toEqual(before);
  });

  test('installed later: it runs ours as .legacy, which is enough', async () => {
    using repo = withFramework();
    const hooks = hooked(repo);
    await hooks.init();
    install(repo);
    expect(await hooks.check()).toEqual({ ok: true, problems: [] });
    await hooks.init();
    expect(repo.run('git', ['commit', '--allow-empty', '-m', 'one'], { env: CLAUDE }).code).toBe(0);
    await hooks.called('post-commit');
    expect(hooks.calls()).toEqual(['pre-commit', 'post-commit']);
    await hooks.init({ uninstall: true });
    expect(Object.keys(tree(join(repo.dir, '.git/hooks'))).filter((path) => /^p[^.]*(\.legacy)?$/.test(path))).toEqual([
      'pre-commit',
    ]);
  });

  test.each([[['-f']], [['-f', '--hook-type', 'pre-push']]])(
    '`pre-commit install %s` later deletes ours: noticed, and mended',
    async (args) => {
      using repo = withFramework();
      const hooks = hooked(repo);
      await hooks.init();
      install(repo, ...args);
      expect((await hooks.check()).problems).toEqual([
        expect.stringMatching(
          /^pre-(commit|push) in .* does not call cc-context \(pre-commit may have replaced it\)\. Run: cc-init$/,
        ),
      ]);
      await hooks.init();
      expect(await hooks.check()).toEqual({ ok: true, problems: [] });
    },
  );
});
