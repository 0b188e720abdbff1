import { expect, test } from 'vitest';
import { commitFiles, expectHistory, talkAndCommit } from '../helpers/history.ts';
import { createWorkplace } from '../helpers/workplace.ts';

/** On `main`, which moved on in `same.txt`, with a `topic` of two commits with contexts. */
function withTopic(files?: Record<string, string>) {
  const work = createWorkplace();
  commitFiles(work, 'base', { 'same.txt': 'base' });
  work.git('branch', 'topic');
  commitFiles(work, 'main moves on', { 'same.txt': 'main' });
  work.git('switch', '--quiet', 'topic');
  const session = work.session();
  const one = talkAndCommit(work, session, 'one', files);
  const two = talkAndCommit(work, session, 'two');
  work.git('switch', '--quiet', 'main');
  return { work, session, one, two };
}

test('fast-forward: the commits come with their contexts', () => {
  const { work, one, two } = withTopic();
  using _work = work;
  work.git('reset', '--quiet', '--hard', 'HEAD~1');
  const ran = work.run('git', ['merge', '--ff-only', 'topic']);
  expect(ran.stderr).toBe('');
  expectHistory(work, 'HEAD', [
    ['two', [two]],
    ['one', [one]],
    ['base', []],
    ['begin', []],
  ]);
});

test('--no-ff without a conflict: the merge resets the context', () => {
  const { work, session, one, two } = withTopic();
  using _work = work;
  session.say('not captured by the merge');
  const ran = work.run('git', ['merge', '--no-ff', '--no-edit', 'topic']);
  expect(ran.stderr).not.toMatch(/cc-context|Captured/);
  const [merge] = expectHistory(work, 'main~1..main', [
    ["Merge branch 'topic'", []],
    ['two', [two]],
    ['one', [one]],
  ]);
  expect(merge).toMatchObject({ is_merge: true, has_context: false, reason: 'context reset on merge', contexts: [] });
  expect(work.cc('list').stdout.split('\n')[0]).toMatch(/context reset on merge$/);

  const next = talkAndCommit(work, session, 'next');
  expectHistory(work, 'HEAD~1..', [['next', [next]]]);
});

test('a conflict, then git commit: the merge has no context, and what was said belongs to the next commit', () => {
  const { work, session, one, two } = withTopic({ 'same.txt': 'topic' });
  using _work = work;
  expect(work.run('git', ['merge', 'topic']).code).toBe(1);
  session.say('resolve the conflict');
  work.write('same.txt', 'both');
  work.git('add', 'same.txt');
  const ran = work.run('git', ['commit', '--no-edit']);
  expect(ran, ran.stderr).toMatchObject({ code: 0 });
  expect(ran.stderr).not.toMatch(/cc-context|Captured/);
  const [merge] = expectHistory(work, 'main~1..main', [
    ["Merge branch 'topic'", []],
    ['two', [two]],
    ['one', [one]],
  ]);
  expect(merge).toMatchObject({ is_merge: true, reason: 'context reset on merge' });

  const next = talkAndCommit(work, session, 'next');
  const [{ contexts } = { contexts: [] }] = expectHistory(work, 'HEAD~1..', [['next', [next]]]);
  expect(contexts[0]?.sessions).toMatchObject([{ message_count: 8, new_messages: 4, continued_from_parent: true }]);
});

test('--squash, then git commit: it owns all contexts of the branch and its own', () => {
  const { work, session, one, two } = withTopic();
  using _work = work;
  work.git('merge', '--squash', 'topic');
  session.say('squash it');
  const ran = work.run('git', ['commit', '-m', 'squashed']);
  const own = work.contexts().filter((id) => id !== one && id !== two);
  expect(own).toHaveLength(1);
  expect(ran.stderr).toContain(`  - Context ID: ${own[0]?.slice(0, 12)}`);
  expectHistory(work, 'HEAD^!', [['squashed', [one, two, ...own]]]);
});

test('--squash with nothing said since: it owns the contexts of the branch', () => {
  const { work, one, two } = withTopic();
  using _work = work;
  work.git('merge', '--squash', 'topic');
  work.git('commit', '--quiet', '-m', 'squashed');
  expectHistory(work, 'HEAD^!', [['squashed', [one, two]]]);
});

test('an octopus merge has no context', () => {
  using work = createWorkplace();
  const session = work.session();
  const contexts = ['left', 'right'].map((branch) => {
    work.git('switch', '--quiet', '-c', branch, 'main');
    return talkAndCommit(work, session, branch);
  });
  work.git('switch', '--quiet', 'main');
  work.git('commit', '--quiet', '--no-verify', '--allow-empty', '-m', 'main');
  work.git('merge', '--quiet', '-m', 'octopus', 'left', 'right');
  expect(work.git('log', 'HEAD^!', '--format=%P').split(' ')).toHaveLength(3);
  const [octopus] = expectHistory(work, 'HEAD^!', [['octopus', []]]);
  expect(octopus).toMatchObject({ is_merge: true, reason: 'context reset on merge' });
  expectHistory(work, 'HEAD^2^!', [['left', [contexts[0] as string]]]);
  expectHistory(work, 'HEAD^3^!', [['right', [contexts[1] as string]]]);
});

test('a merge that itself adds a snapshot file owns that context', () => {
  const { work, one, two } = withTopic();
  using _work = work;
  work.git('merge', '--quiet', '--no-ff', '--no-commit', 'topic');
  const path = work
    .git('ls-tree', '-r', '--name-only', 'topic')
    .split('\n')
    .find((name) => name.includes(two)) as string;
  const own = `ctx-${'e'.repeat(64)}`;
  const snapshot = { ...JSON.parse(work.git('show', `topic:${path}`)), context_id: own, manifest_hash: 'e'.repeat(64) };
  work.write(`.cc-snapshots/2026/01/02/${own}.json`, JSON.stringify(snapshot));
  work.git('add', '.');
  work.git('commit', '--quiet', '-m', 'evil');
  const [evil] = expectHistory(work, 'main~1..main', [
    ['evil', [own]],
    ['two', [two]],
    ['one', [one]],
  ]);
  expect(evil).toMatchObject({ is_merge: true, has_context: true });
});
