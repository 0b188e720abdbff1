import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { expectCaptured } from '../helpers/ownership.ts';
import { createWorkplace } from '../helpers/workplace.ts';

test('each linked worktree captures its own sessions', () => {
  using work = createWorkplace();
  work.commit('a file');
  // One beside the main work tree, one inside it: the innermost work tree has a session.
  const trees = ['../beside', 'inside'].map((path, at) => {
    work.git('worktree', 'add', '--quiet', '-b', `tree-${at}`, path);
    const cwd = join(work.dir, path);
    return { cwd, session: work.session(cwd) };
  });
  const main = work.session();
  for (const { session } of [...trees, { session: main }]) session.say('in my own tree');
  for (const { cwd, session } of trees) {
    writeFileSync(join(cwd, 'own.txt'), 'own\n');
    work.run('git', ['add', 'own.txt'], { cwd });
    expectCaptured(work, work.run('git', ['commit', '-m', 'own'], { cwd }), [session], { cwd });
  }
  expectCaptured(work, work.commit(), [main], { dirt: '?? inside/\n' });
});

test('a submodule and the repository around it', () => {
  using library = createWorkplace({ init: false });
  library.commit();
  using work = createWorkplace();
  work.git('-c', 'protocol.file.allow=always', 'submodule', '--quiet', 'add', library.dir, 'lib');
  work.git('commit', '--quiet', '-m', 'submodule');
  const cwd = join(work.dir, 'lib');
  expect(work.cc('init', '-C', cwd).code).toBe(0);
  const inside = work.session(cwd);
  inside.say('mend the library');
  work.write('lib/file.txt', 'mended\n');
  expectCaptured(work, work.run('git', ['commit', '-a', '-m', 'mended'], { cwd }), [inside], { cwd });

  // The work tree of the repository holds the submodule's directory: who worked there is behind this commit too.
  const outside = work.session();
  outside.say('take the mended library');
  expectCaptured(work, work.run('git', ['commit', '-a', '-m', 'mended library']), [inside, outside]);
});
