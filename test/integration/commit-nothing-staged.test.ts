import { expect, test } from 'vitest';
import { expectCaptured } from '../helpers/ownership.ts';
import { createWorkplace } from '../helpers/workplace.ts';

test.each([
  ['the first time', false],
  ['later', true],
])('nothing staged, %s: no commit of metadata alone', (_, earlier) => {
  using work = createWorkplace();
  if (earlier) work.commit();
  const before = work.git('rev-parse', 'HEAD');
  const session = work.session();
  session.say('do nothing');
  const ran = work.run('git', ['commit', '-m', 'nothing']);
  expect(ran.code).toBe(1);
  expect(ran.stdout).toContain('nothing to commit');
  expect(ran.stderr).toBe('');
  expect(work.git('rev-parse', 'HEAD')).toBe(before);
  expect(work.dirt()).toBe('');
});

/**
 * An aborted commit leaves its snapshot file staged. When the person then takes their own change back, Git (2.39) has decided that there is
 * something to commit before any hook runs: no commit of metadata alone may come of it, and what was said waits for the real one.
 */
test.each([
  ['the first time', false],
  ['later', true],
])('nothing staged but what an aborted commit left, %s', (_, earlier) => {
  using work = createWorkplace();
  const session = work.session();
  if (earlier) {
    session.say('before');
    work.commit();
  }
  const before = work.git('rev-parse', 'HEAD');
  session.say('write it');
  work.write('new.txt', 'new\n');
  work.git('add', 'new.txt');
  expect(work.run('git', ['commit', '-m', '']).code).toBe(1);
  work.git('rm', '--quiet', '--cached', 'new.txt');
  expect(work.run('git', ['commit', '-m', 'nothing']).stderr).toBe('');
  expect(work.git('diff', '--name-only', before, 'HEAD')).toBe('');
  expect(work.dirt()).toBe('?? new.txt\n');

  work.git('add', 'new.txt');
  expectCaptured(work, work.run('git', ['commit', '-m', 'after all']), [session]);
});
