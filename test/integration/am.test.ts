import { expect, test } from 'vitest';
import { expectHistory, talkAndCommit } from '../helpers/history.ts';
import { createWorkplace } from '../helpers/workplace.ts';

test('git am: a mailed commit brings its context', () => {
  using work = createWorkplace();
  work.git('branch', 'receiver');
  const session = work.session();
  const one = talkAndCommit(work, session, 'one');
  const two = talkAndCommit(work, session, 'two');
  work.git('format-patch', '--quiet', '-o', work.home, 'receiver');
  work.git('switch', '--quiet', 'receiver');
  session.say('not captured by am');
  const patches = ['0001-one.patch', '0002-two.patch'].map((name) => `${work.home}/${name}`);
  const ran = work.run('git', ['am', ...patches]);
  expect(ran, ran.stderr).toMatchObject({ code: 0, stderr: '' });
  expectHistory(work, 'HEAD', [
    ['two', [two]],
    ['one', [one]],
    ['begin', []],
  ]);
});
