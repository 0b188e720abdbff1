import { expect, test } from 'vitest';
import { commitFiles, expectHistory, talkAndCommit } from '../helpers/history.ts';
import { createWorkplace } from '../helpers/workplace.ts';

test('checkout and switch say in one line that the commit has a context, and exactly then', () => {
  using work = createWorkplace();
  const session = work.session();
  const one = talkAndCommit(work, session, 'one');
  const two = talkAndCommit(work, session, 'two');
  commitFiles(work, 'three');
  const line = (id: string) =>
    `cc-context: this commit has a Claude context (${id.slice(0, 12)}). To bring it back: cc-restore\n`;
  const says = (...args: string[]) => {
    const ran = work.run('git', args);
    expect(ran, ran.stderr).toMatchObject({ code: 0 });
    return ran.stderr;
  };
  expect(says('checkout', '--quiet', 'HEAD~1')).toBe(line(two));
  expect(says('switch', '--quiet', '--detach', 'HEAD~1')).toBe(line(one));
  expect(says('switch', '--quiet', '-c', 'here')).toBe('');
  expect(says('checkout', '--quiet', 'HEAD', '--', 'one.txt')).toBe('');
  expect(says('restore', '--source', 'main', '--', 'one.txt')).toBe('');
  expect(says('checkout', '--quiet', 'HEAD~1')).toBe('');
  expect(says('switch', '--quiet', 'main')).toBe('');
  expectHistory(work, 'main', [
    ['three', []],
    ['two', [two]],
    ['one', [one]],
    ['begin', []],
  ]);
});

test('a bisection steps silently, and owns nothing', () => {
  using work = createWorkplace();
  const session = work.session();
  const contexts = ['one', 'two', 'three', 'four'].map((subject) => talkAndCommit(work, session, subject));
  work.git('bisect', 'start', 'HEAD', 'HEAD~4');
  const ran = work.run('git', ['bisect', 'run', 'sh', '-c', '! test -e three.txt']);
  expect(ran.stdout).toContain('is the first bad commit');
  expect(ran.stderr).not.toContain('cc-context');
  expect(work.json<{ context_ids: string[] }>('show', 'bisect/bad').context_ids).toEqual([contexts[2]]);
  work.git('bisect', 'reset');
  expectHistory(work, 'main~1..main', [['four', [contexts[3] as string]]]);
});
