import { join } from 'node:path';
import { expect, test } from 'vitest';
import { expectHistory, talkAndCommit } from '../helpers/history.ts';
import { createWorkplace } from '../helpers/workplace.ts';

test('clone and worktree add end with 0 and say nothing, though the tip has a context', () => {
  using work = createWorkplace();
  const one = talkAndCommit(work, work.session(), 'one');
  const [clone, tree] = [join(work.home, 'clone'), join(work.home, 'tree')];
  // What makes the hooks run in the clone too.
  work.git('config', '--global', 'core.hooksPath', join(work.dir, '.git/hooks'));
  for (const args of [
    ['clone', '--quiet', work.dir, clone],
    ['worktree', 'add', '--quiet', '--detach', tree],
  ]) {
    const ran = work.run('git', args);
    expect(ran, ran.stderr).toMatchObject({ code: 0, stderr: '' });
  }
  for (const cwd of [clone, tree])
    expectHistory(
      work,
      'HEAD',
      [
        ['one', [one]],
        ['begin', []],
      ],
      cwd,
    );
});
