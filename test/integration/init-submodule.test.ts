import { join } from 'node:path';
import { expect, test } from 'vitest';
import { hooked } from '../helpers/hooks.ts';
import { createRepo } from '../helpers/repo.ts';

const CLAUDE = { CLAUDECODE: '1' };

test('a submodule has hooks of its own', async () => {
  using repo = createRepo();
  repo.commit();
  repo.git('clone', '--quiet', '.', '../library');
  repo.git('-c', 'protocol.file.allow=always', 'submodule', '--quiet', 'add', '../library', 'lib');
  repo.git('commit', '-m', 'submodule');
  const submodule = join(repo.dir, 'lib');
  const hooks = hooked(repo);
  const { repository, hooks_dir } = await hooks.init({ cwd: submodule });
  expect([repository, hooks_dir]).toEqual([submodule, join(repo.dir, '.git/modules/lib/hooks')]);

  repo.run('git', ['commit', '--allow-empty', '-m', 'one'], { cwd: repo.dir, env: CLAUDE });
  expect(hooks.calls()).toEqual([]);
  repo.run('git', ['commit', '--allow-empty', '-m', 'one'], { cwd: submodule, env: CLAUDE });
  await hooks.called('post-commit');
  expect(hooks.calls()).toEqual(['pre-commit', 'post-commit']);
});
