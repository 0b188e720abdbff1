import { expect, test } from 'vitest';
import { expectCaptured, listedCommit } from '../helpers/ownership.ts';
import { createWorkplace } from '../helpers/workplace.ts';

/** Clones that have only a part of the history, of the objects or of the files. */
test.each([
  ['shallow', ['--depth=2']],
  ['partial, without blobs', ['--filter=blob:none']],
  ['partial, without trees', ['--filter=tree:0']],
  ['partial and sparse', ['--filter=blob:none', '--sparse']],
])('commits in a clone that is %s', (_, options) => {
  using origin = createWorkplace();
  const session = origin.session();
  for (const prompt of ['one', 'two', 'three']) {
    session.say(prompt);
    origin.write(`src/${prompt}.txt`, prompt);
    origin.git('add', '.');
    origin.commit(prompt);
  }
  origin.git('config', 'uploadpack.allowFilter', 'true');
  using work = createWorkplace({ init: false });
  const cwd = `${work.dir}/clone`;
  work.git('clone', '--quiet', ...options, `file://${origin.dir}`, cwd);
  expect(work.cc('init', '-C', cwd).code).toBe(0);
  const [context] = origin.contexts();
  expect(listedCommit(work, { cwd })).toMatchObject({ has_context: true, contexts: [{ context_id: context }] });

  const here = work.session(cwd);
  for (const prompt of ['four', 'five']) {
    here.say(prompt);
    work.write('clone/file.txt', prompt);
    const ran = work.run('git', ['commit', '-a', '-m', prompt], { cwd });
    expectCaptured(work, ran, [here], { cwd });
  }
  expect(work.run('git', ['fsck', '--connectivity-only'], { cwd }).code).toBe(0);
});
