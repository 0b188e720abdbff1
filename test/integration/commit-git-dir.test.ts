import { mkdirSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { expectCaptured } from '../helpers/ownership.ts';
import { createWorkplace } from '../helpers/workplace.ts';

/** GIT_DIR and GIT_WORK_TREE name the repository, absolute or as seen from where the person stands. */
test.each([
  ['absolute, from elsewhere', '..', (dir: string) => ({ GIT_DIR: join(dir, '.git'), GIT_WORK_TREE: dir })],
  ['relative, from a subdirectory', 'deep', () => ({ GIT_DIR: '../.git', GIT_WORK_TREE: '..' })],
  ['GIT_DIR alone, at the top', '.', () => ({ GIT_DIR: '.git' })],
])('GIT_DIR and GIT_WORK_TREE set: %s', (_, from, variables) => {
  using work = createWorkplace();
  work.commit('a file');
  mkdirSync(join(work.dir, 'deep'));
  const session = work.session();
  for (const prompt of ['one', 'two']) {
    session.say(prompt);
    work.write('file.txt', prompt);
    const ran = work.run('git', ['commit', '-a', '-m', prompt], { cwd: join(work.dir, from), env: variables(work.dir) });
    expectCaptured(work, ran, [session]);
  }
});

test('a git directory apart from its work tree, as for dotfiles', () => {
  using work = createWorkplace({ init: false });
  work.commit('a file');
  const gitDir = join(work.dir, '../dots.git');
  renameSync(join(work.dir, '.git'), gitDir);
  Object.assign(work.env, { GIT_DIR: gitDir, GIT_WORK_TREE: work.dir });
  expect(work.cc('init').code).toBe(0);
  const session = work.session();
  session.say('tidy my home');
  work.write('file.txt', 'tidy\n');
  const ran = work.run('git', ['commit', '-a', '-m', 'tidy'], { cwd: join(work.dir, '..') });
  expectCaptured(work, ran, [session]);
  expect(work.run('git', ['-C', work.dir, 'status', '--porcelain']).stdout).toBe('');
});

test('a git directory kept elsewhere, named by a .git file', () => {
  using work = createWorkplace({ init: false });
  work.git('init', '--quiet', '--separate-git-dir', '../kept.git', '.');
  expect(work.cc('init').code).toBe(0);
  const session = work.session();
  session.say('one');
  expectCaptured(work, work.commit(), [session]);
});

test('a work tree of a bare repository', () => {
  using work = createWorkplace({ init: false });
  work.git('clone', '--quiet', '--bare', '.', '../project/.bare');
  const [bare, cwd] = [join(work.dir, '../project/.bare'), join(work.dir, '../project/main')];
  expect(work.run('git', ['worktree', 'add', '--quiet', cwd, 'main'], { cwd: bare }).code).toBe(0);
  expect(work.cc('init', '-C', cwd).code).toBe(0);
  const session = work.session(cwd);
  session.say('one');
  writeFileSync(join(cwd, 'file.txt'), 'one\n');
  work.run('git', ['add', 'file.txt'], { cwd });
  expectCaptured(work, work.run('git', ['commit', '-m', 'one'], { cwd }), [session], { cwd });
});

test('a script of another repository that commits in this one', () => {
  using other = createWorkplace();
  using work = createWorkplace();
  const session = work.session();
  session.say('here');
  const before = other.git('rev-parse', 'HEAD');
  const ran = other.run('sh', ['-c', `unset GIT_DIR; cd "${work.dir}" && echo 1 >f && git add f && git commit -m here`], {
    env: { GIT_DIR: join(other.dir, '.git'), HOME: work.home },
  });
  expectCaptured(work, ran, [session]);
  expect([other.git('rev-parse', 'HEAD'), other.dirt()]).toEqual([before, '']);
});
