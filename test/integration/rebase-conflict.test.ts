import { expect, test } from 'vitest';
import { expectHistory, talkAndCommit } from '../helpers/history.ts';
import { createWorkplace } from '../helpers/workplace.ts';

test.each(['--merge', '--apply'])('rebase %s with a conflict: the continued commit keeps its context', (backend) => {
  using work = createWorkplace();
  work.git('branch', 'topic');
  work.write('same.txt', 'theirs');
  work.git('add', '.');
  work.git('commit', '--quiet', '-m', 'theirs');
  work.git('switch', '--quiet', 'topic');
  const session = work.session();
  const one = talkAndCommit(work, session, 'one', { 'same.txt': 'ours' });
  const two = talkAndCommit(work, session, 'two');

  expect(work.run('git', ['rebase', backend, 'main']).code).toBe(1);
  session.say('resolve the conflict');
  work.write('same.txt', 'both');
  work.git('add', 'same.txt');
  const ran = work.run('git', ['rebase', '--continue'], { env: { GIT_EDITOR: 'true' } });
  expect(ran, ran.stderr).toMatchObject({ code: 0 });
  expect(ran.stderr).not.toMatch(/cc-context|Captured/);
  expectHistory(work, 'HEAD', [
    ['two', [two]],
    ['one', [one]],
    ['theirs', []],
    ['begin', []],
  ]);

  const three = talkAndCommit(work, session, 'three');
  expectHistory(work, 'HEAD~2..', [
    ['three', [three]],
    ['two', [two]],
  ]);
});

test('rebase --abort and --skip leave every context where it was, or nowhere', () => {
  using work = createWorkplace();
  work.git('branch', 'topic');
  work.write('same.txt', 'theirs');
  work.git('add', '.');
  work.git('commit', '--quiet', '-m', 'theirs');
  work.git('switch', '--quiet', 'topic');
  const session = work.session();
  const one = talkAndCommit(work, session, 'one', { 'same.txt': 'ours' });
  const two = talkAndCommit(work, session, 'two');
  expect(work.run('git', ['rebase', 'main']).code).toBe(1);
  work.git('rebase', '--abort');
  expectHistory(work, 'HEAD', [
    ['two', [two]],
    ['one', [one]],
    ['begin', []],
  ]);
  expect(work.run('git', ['rebase', 'main']).code).toBe(1);
  work.git('rebase', '--skip');
  expectHistory(work, 'HEAD', [
    ['two', [two]],
    ['theirs', []],
    ['begin', []],
  ]);
});
