import { expect, test } from 'vitest';
import { hooked } from '../helpers/hooks.ts';
import { createRepo } from '../helpers/repo.ts';

test.each([
  ['nothing configured', []],
  ['a store that this version does not know', ['-c', 'cc-context.store=s3://bucket/team']],
])('a push starts nothing: %s', async (_, config) => {
  using repo = createRepo();
  repo.commit();
  const hooks = hooked(repo);
  await hooks.init();
  repo.git('init', '--quiet', '--bare', '../remote');
  const { code, stderr } = repo.run('git', [...config, 'push', '--quiet', '../remote', 'main']);
  expect([code, stderr, hooks.calls()]).toEqual([0, '', []]);
});
