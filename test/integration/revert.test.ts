import { expect, test } from 'vitest';
import { expectHistory, talkAndCommit } from '../helpers/history.ts';
import { createWorkplace } from '../helpers/workplace.ts';

test('a revert owns nothing, the reverted commit keeps its context, and the revert of the revert brings it back', () => {
  using work = createWorkplace();
  const session = work.session();
  const one = talkAndCommit(work, session, 'one');
  const two = talkAndCommit(work, session, 'two');
  session.say('revert it');
  const ran = work.run('git', ['revert', '--no-edit', 'HEAD']);
  expect(ran, ran.stderr).toMatchObject({ code: 0 });
  expect(ran.stderr).not.toMatch(/cc-context|Captured/);
  expectHistory(work, 'HEAD', [
    ['Revert "two"', []],
    ['two', [two]],
    ['one', [one]],
    ['begin', []],
  ]);

  work.git('revert', '--no-edit', 'HEAD');
  const [listed] = expectHistory(work, 'HEAD^!', [[work.git('log', 'HEAD^!', '--format=%s'), [two]]]);
  expect(listed?.has_context).toBe(true);
});

test('a commit that deletes a snapshot file owns nothing by it, and history still answers', () => {
  using work = createWorkplace();
  const session = work.session();
  const one = talkAndCommit(work, session, 'one');
  const two = talkAndCommit(work, session, 'two');
  work.git('rm', '-r', '--quiet', '.cc-snapshots');
  work.git('commit', '--quiet', '--no-verify', '-m', 'clear');
  expectHistory(work, 'HEAD', [
    ['clear', []],
    ['two', [two]],
    ['one', [one]],
    ['begin', []],
  ]);
  expect(work.json<{ context_ids: string[] }>('show', 'HEAD~1').context_ids).toEqual([two]);
  expect(work.json<{ context_ids: string[] }>('restore', '--dry-run', one.slice(0, 12)).context_ids).toEqual([one]);
  const three = talkAndCommit(work, session, 'three');
  expectHistory(work, 'HEAD~1..', [['three', [three]]]);
});
