import { expect, test } from 'vitest';
import { openRepository } from '../../src/git/repository.ts';
import { isReplaying } from '../../src/git/state.ts';
import { hooked } from '../helpers/hooks.ts';
import { createRepo } from '../helpers/repo.ts';

const CLAUDE = { CLAUDECODE: '1' };

test.each([
  ['picks', ['rebase', '--quiet', '--force-rebase', 'HEAD~3'], 'true'],
  ['picks of the apply backend', ['rebase', '--quiet', '--apply', '--force-rebase', 'HEAD~3'], 'true'],
  ['squashes', ['rebase', '--quiet', '-i', 'HEAD~3'], "sed -i.bak -e '2,$s/^pick/fixup/'"],
  ['rewords', ['rebase', '--quiet', '-i', 'HEAD~3'], "sed -i.bak -e 's/^pick/reword/'"],
])('a rebase that %s starts node once, at its end', async (_, args, editor) => {
  using repo = createRepo();
  for (const _ of [1, 2, 3, 4]) repo.commit();
  const hooks = hooked(repo);
  await hooks.init();
  repo.write('.git/cc-context/state.db', ''); // where nothing was ever captured, nothing has to be followed
  const ran = repo.run('git', args, { env: { ...CLAUDE, GIT_SEQUENCE_EDITOR: editor, GIT_EDITOR: 'true' } });
  expect([ran.code, ran.stderr]).toEqual([0, '']);
  await hooks.called('post-rewrite rebase');
  expect(hooks.calls()).toEqual(['post-rewrite rebase']);
});

test('a commit made by hand at a stop of a rebase is captured', async () => {
  using repo = createRepo();
  for (const _ of [1, 2, 3]) repo.commit();
  const hooks = hooked(repo);
  await hooks.init();
  repo.run('git', ['rebase', '-i', 'HEAD~2'], { env: { GIT_SEQUENCE_EDITOR: "sed -i.bak -e '1s/^pick/edit/'" } });
  repo.run('git', ['commit', '--allow-empty', '-m', 'by hand'], { env: CLAUDE });
  await hooks.called('post-commit');
  expect(hooks.calls()).toEqual(['pre-commit', 'post-commit']);
});

test.each([
  ['rebase (pick)', undefined, []],
  ['pull --rebase', undefined, []],
  [undefined, '', []],
  ['a tool of mine', undefined, ['pre-commit', 'post-commit']],
])(
  'GIT_REFLOG_ACTION=%s GIT_CHERRY_PICK_HELP=%s at a stop of a rebase: the shims go by the rule of isReplaying',
  async (action, help, calls) => {
    using repo = createRepo();
    for (const _ of [1, 2, 3]) repo.commit();
    const hooks = hooked(repo);
    await hooks.init();
    repo.run('git', ['rebase', '-i', 'HEAD~2'], { env: { GIT_SEQUENCE_EDITOR: "sed -i.bak -e '1s/^pick/edit/'" } });
    const env = {
      ...(action === undefined ? {} : { GIT_REFLOG_ACTION: action }),
      ...(help === undefined ? {} : { GIT_CHERRY_PICK_HELP: help }),
    };
    repo.run('git', ['commit', '--allow-empty', '-m', 'by hand'], { env: { ...CLAUDE, ...env } });
    if (calls.length > 0) await hooks.called('post-commit');
    expect(hooks.calls()).toEqual(calls);
    expect(isReplaying(await openRepository(repo.dir), env)).toBe(calls.length === 0);
  },
);
