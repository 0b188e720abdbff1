import { expect, test } from 'vitest';
import type { ListedCommit } from '../../src/commands/list.ts';
import { commitFiles, expectHistory, talkAndCommit } from '../helpers/history.ts';
import { createWorkplace } from '../helpers/workplace.ts';

test('a range, --limit and --author choose the commits; --json has the documented shape', () => {
  using work = createWorkplace();
  const session = work.session();
  const one = talkAndCommit(work, session, 'one');
  work.git('config', 'user.name', 'Bob');
  const two = talkAndCommit(work, session, 'two');
  commitFiles(work, 'three');
  expectHistory(work, 'HEAD~3..HEAD~1', [
    ['two', [two]],
    ['one', [one]],
  ]);

  const subjects = (...args: string[]) => work.json<ListedCommit[]>('list', ...args).map(({ subject }) => subject);
  expect(subjects()).toEqual(['three', 'two', 'one', 'begin']);
  expect(subjects('--limit', '2')).toEqual(['three', 'two']);
  expect(subjects('--author', 'Bob')).toEqual(['three', 'two']);
  expect(subjects('--author', 'alice@example.com', 'HEAD~1', '--limit', '1')).toEqual(['two']);
  expect(subjects('HEAD..HEAD')).toEqual([]);

  const listed = work.json<ListedCommit[]>('list', '--limit', '2');
  expect(listed).toEqual([
    expect.objectContaining({ subject: 'three', is_merge: false, has_context: false, reason: 'no context', contexts: [] }),
    {
      commit: work.git('rev-parse', 'HEAD~1'),
      subject: 'two',
      author: 'Bob <alice@example.com>',
      date: work.git('log', '-1', '--format=%aI', 'HEAD~1'),
      is_merge: false,
      has_context: true,
      contexts: [
        {
          context_id: two,
          total_messages: 4,
          new_messages_since_parent: 2,
          sessions: [
            {
              session_id: session.id,
              message_count: 4,
              new_messages: 2,
              continued_from_parent: true,
              agent: 'claude-code',
              agent_version: '2.1.329',
              account: null,
              cwd: '.',
            },
          ],
        },
      ],
    },
  ]);
  expect(work.cc('list', '--limit', '2').stdout).toBe(
    [
      `${work.git('rev-parse', 'HEAD').slice(0, 7)}  three  Bob  no context`,
      `${work.git('rev-parse', 'HEAD~1').slice(0, 7)}  two    Bob  ${two.slice(0, 12)}  1 session, 4 messages (2 new)`,
      '',
    ].join('\n'),
  );
});

test('--prompts: what was asked for each commit, and for a squashed one all of it', () => {
  using work = createWorkplace();
  const session = work.session();
  session.say('first of one');
  talkAndCommit(work, session, 'one');
  const other = work.session();
  other.say('from the other terminal');
  session.call('ls', 'a\nb');
  talkAndCommit(work, session, 'two');
  commitFiles(work, 'three');
  const prompts = (...args: string[]) => work.json<ListedCommit[]>('list', '--prompts', ...args).map((commit) => commit.prompts);
  expect(prompts()).toEqual([null, ['from the other terminal', 'please do two'], ['first of one', 'please do one'], null]);
  expect(work.cc('list', '--prompts', 'HEAD~1^!').stdout).toMatch(/\n {8}> from the other terminal\n {8}> please do two\n$/);

  work.git('reset', '--quiet', '--soft', 'HEAD~3');
  work.git('commit', '--quiet', '--no-verify', '-m', 'squashed');
  expect(prompts('--limit', '1')).toEqual([['first of one', 'please do one', 'from the other terminal', 'please do two']]);
});

/** What a person may have configured for their own `git log`. */
test.each([
  'log.showRoot=false',
  'log.follow=true',
  'log.showSignature=true',
  'log.decorate=full',
  'diff.renames=copies',
  'i18n.logOutputEncoding=latin1',
  'core.abbrev=5',
  'color.ui=always',
  'diff.noprefix=true',
  'format.pretty=oneline',
  'log.diffMerges=off',
  'diff.relative=true',
])('%s changes nothing', (setting) => {
  using work = createWorkplace({ begin: false });
  const session = work.session();
  const root = talkAndCommit(work, session, 'größer');
  const two = talkAndCommit(work, session, 'two');
  const [name, value] = setting.split('=') as [string, string];
  work.git('config', name, value);
  expectHistory(work, 'HEAD', [
    ['two', [two]],
    ['größer', [root]],
  ]);
});
