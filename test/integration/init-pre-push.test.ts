import { expect, test } from 'vitest';
import { hooked } from '../helpers/hooks.ts';
import { createRepo } from '../helpers/repo.ts';

test.each<[string, string | null, NodeJS.ProcessEnv, string | null, boolean]>([
  ['nothing configured', null, {}, null, false],
  ['the embedded store', 'sqlite', {}, null, false],
  ['the embedded store at a path', 'sqlite:/data/x.db', {}, null, false],
  ['a remote store', 's3://bucket/team', {}, null, true],
  ['a remote store in the environment', null, { CC_CONTEXT_STORE: 's3://bucket/team' }, null, true],
  ['the environment over the configuration', 's3://bucket/team', { CC_CONTEXT_STORE: 'sqlite' }, null, false],
  ['a committed store, which node decides about', null, {}, '{"store": "s3://bucket"}', true],
])('%s', async (_, config, env, committed, starts) => {
  using repo = createRepo();
  repo.commit();
  if (config !== null) repo.git('config', 'cc-context.store', config);
  if (committed !== null) repo.write('.cc-snapshots/config.json', committed);
  const hooks = hooked(repo);
  await hooks.init();
  repo.git('init', '--quiet', '--bare', '../remote');
  expect(repo.run('git', ['push', '--quiet', '../remote', 'main'], { env }).code).toBe(0);
  expect(hooks.calls()).toEqual(starts ? ['pre-push ../remote ../remote'] : []);
});
