import { expect, test } from 'vitest';
import { commitFiles, expectHistory, talkAndCommit } from '../helpers/history.ts';
import { createWorkplace } from '../helpers/workplace.ts';

/** On `main` after `one` and `two` were committed on `topic`, from the commit before them. */
function withTopic(files?: Record<string, string>) {
  const work = createWorkplace();
  commitFiles(work, 'base', { 'same.txt': 'base' });
  work.git('switch', '--quiet', '-c', 'topic');
  const session = work.session();
  const one = talkAndCommit(work, session, 'one', files);
  const two = talkAndCommit(work, session, 'two');
  work.git('switch', '--quiet', 'main');
  return { work, session, one, two };
}

test('a clean cherry-pick takes the context along; the original keeps it', () => {
  const { work, session, one, two } = withTopic();
  using _work = work;
  work.git('commit', '--quiet', '--no-verify', '--allow-empty', '-m', 'main moves on');
  session.say('not to be captured by the cherry-pick');
  const ran = work.run('git', ['cherry-pick', 'topic~1', 'topic']);
  expect(ran, ran.stderr).toMatchObject({ code: 0 });
  expect(ran.stderr).not.toMatch(/cc-context|Captured/);
  expectHistory(work, 'main', [
    ['two', [two]],
    ['one', [one]],
    ['main moves on', []],
    ['base', []],
    ['begin', []],
  ]);
  expectHistory(work, 'main..topic', [
    ['two', [two]],
    ['one', [one]],
  ]);
});

test('after a conflict, --continue commits the context with what was said to resolve it', () => {
  const { work, session, one } = withTopic({ 'same.txt': 'topic' });
  using _work = work;
  commitFiles(work, 'main moves on', { 'same.txt': 'main' });
  expect(work.run('git', ['cherry-pick', 'topic~1']).code).toBe(1);
  session.say('resolve the conflict');
  work.write('same.txt', 'both');
  work.git('add', 'same.txt');
  const ran = work.run('git', ['cherry-pick', '--continue'], { env: { GIT_EDITOR: 'true' } });
  expect(ran.stderr).toContain('✓ Captured Claude context for this commit');
  const own = work.contexts().filter((id) => id !== one);
  expect(own).toHaveLength(1);
  expect(ran.stderr).toContain(own[0]?.slice(0, 12));
  expectHistory(work, 'HEAD^!', [['one', [one, ...own]]]);
});

test('-n, then a commit: it owns the picked context and its own', () => {
  const { work, session, one } = withTopic();
  using _work = work;
  work.git('cherry-pick', '-n', 'topic~1');
  talkAndCommit(work, session, 'picked and more');
  const own = work.contexts().filter((id) => id !== one);
  expect(own).toHaveLength(1);
  expectHistory(work, 'HEAD^!', [['picked and more', [one, ...own]]]);
});
