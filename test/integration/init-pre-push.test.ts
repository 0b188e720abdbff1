import { expect, test } from 'vitest';
import { hooked } from '../helpers/hooks.ts';
import { createRepo } from '../helpers/repo.ts';

test('without a store that the team shares a push starts nothing', async () => {
  using repo = createRepo();
  repo.commit();
  const hooks = hooked(repo);
  await hooks.init();
  repo.git('init', '--quiet', '--bare', '../remote');
  const { code, stderr } = repo.run('git', ['push', '--quiet', '../remote', 'main']);
  expect([code, stderr, hooks.calls()]).toEqual([0, '', []]);
});

test.each([[0], [1], [130], [10]])('whatever becomes of the hook (%i), a push fails only when it has to', async (ends) => {
  using repo = createRepo();
  repo.commit();
  const hooks = hooked(repo);
  await hooks.init();
  repo.git('config', 'cc-context.store', 's3://bucket/team');
  repo.write('../home/package/bin/cc-context.js', `process.exit(${ends});\n`);
  repo.git('init', '--quiet', '--bare', '../remote');
  expect(repo.run('git', ['push', '--quiet', '../remote', 'main']).code).toBe(ends === 10 ? 1 : 0);
});

test('what Git says on stdin is left to the hooks after ours', async () => {
  using repo = createRepo();
  repo.commit();
  repo.write('.git/hooks/pre-push', '#!/bin/sh\ncat > seen\n', 0o755);
  const hooks = hooked(repo);
  await hooks.init();
  repo.git('config', 'cc-context.store', 's3://bucket/team');
  repo.write('../home/package/bin/cc-context.js', 'process.stdin.resume();\n');
  repo.git('init', '--quiet', '--bare', '../remote');
  expect(repo.run('git', ['push', '--quiet', '../remote', 'main']).code).toBe(0);
  expect(repo.run('cat', ['seen']).stdout).toContain(`refs/heads/main ${repo.git('rev-parse', 'HEAD')}`);
});
