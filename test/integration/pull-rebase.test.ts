import { join } from 'node:path';
import { expect, test } from 'vitest';
import { commitFiles, expectHistory, ownedBy, talkAndCommit } from '../helpers/history.ts';
import { createWorkplace } from '../helpers/workplace.ts';

test('push, then pull --rebase: contexts of both sides stay with their commits', async () => {
  using work = createWorkplace();
  const [origin, other] = [join(work.home, 'origin.git'), join(work.home, 'other')];
  work.git('init', '--quiet', '--bare', '--initial-branch=main', origin);
  work.git('remote', 'add', 'origin', origin);
  work.git('push', '--quiet', '-u', 'origin', 'main');
  work.git('clone', '--quiet', origin, other);
  work.git('-C', other, 'commit', '--quiet', '--allow-empty', '-m', 'theirs');
  work.git('-C', other, 'push', '--quiet');

  const session = work.session();
  const one = talkAndCommit(work, session, 'one');
  session.say('not captured by the pull');
  const ran = work.run('git', ['pull', '--quiet', '--rebase']);
  expect(ran, ran.stderr).toMatchObject({ code: 0, stderr: '' });
  await ownedBy(work, one, 'HEAD');
  expectHistory(work, 'HEAD', [
    ['one', [one]],
    ['theirs', []],
    ['begin', []],
  ]);

  const two = talkAndCommit(work, session, 'two');
  const pushed = work.run('git', ['push', '--quiet']);
  expect(pushed, pushed.stderr).toMatchObject({ code: 0, stderr: '' });
  work.git('-C', other, 'pull', '--quiet');
  expectHistory(
    work,
    'HEAD',
    [
      ['two', [two]],
      ['one', [one]],
      ['theirs', []],
      ['begin', []],
    ],
    other,
  );
  expect(commitFiles(work, 'nothing new')).toEqual([]);
});
