import { expect, test } from 'vitest';
import { expectHistory, talkAndCommit } from '../helpers/history.ts';
import { createWorkplace } from '../helpers/workplace.ts';

test('stash and stash pop capture nothing; the commit after them does', () => {
  using work = createWorkplace();
  const session = work.session();
  const one = talkAndCommit(work, session, 'one');
  session.say('half of two');
  work.write('one.txt', 'half of two');
  work.write('new.txt', 'untracked');
  for (const args of [
    ['stash', 'push', '--include-untracked'],
    ['stash', 'pop'],
  ]) {
    const ran = work.run('git', args);
    expect(ran, ran.stderr).toMatchObject({ code: 0, stderr: '' });
  }
  expect(work.dirt()).toBe(' M one.txt\n?? new.txt\n');
  expect(work.git('stash', 'list')).toBe('');
  const two = talkAndCommit(work, session, 'two', { 'one.txt': 'two', 'new.txt': 'tracked' });
  expectHistory(work, 'HEAD', [
    ['two', [two]],
    ['one', [one]],
    ['begin', []],
  ]);
});
