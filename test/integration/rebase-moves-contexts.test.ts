import { expect, test } from 'vitest';
import { expectHistory, ownedBy, talkAndCommit } from '../helpers/history.ts';
import { createWorkplace } from '../helpers/workplace.ts';

test.each(['--merge', '--apply'])('rebase %s: each commit keeps its context under its new hash', async (backend) => {
  using work = createWorkplace();
  work.git('branch', 'topic');
  work.git('commit', '--quiet', '--allow-empty', '-m', 'meanwhile');
  work.git('switch', '--quiet', 'topic');
  const session = work.session();
  const one = talkAndCommit(work, session, 'one');
  const two = talkAndCommit(work, session, 'two');
  const before = work.git('rev-parse', 'HEAD');
  await ownedBy(work, two, 'HEAD');

  session.say('what happens while it rebases stays for the next commit');
  const ran = work.run('git', ['rebase', backend, 'main']);
  expect(ran, ran.stderr).toMatchObject({ code: 0 });
  expect(ran.stderr).not.toMatch(/cc-context|Captured/);
  expect(work.git('rev-parse', 'HEAD')).not.toBe(before);
  expectHistory(work, 'HEAD', [
    ['two', [two]],
    ['one', [one]],
    ['meanwhile', []],
    ['begin', []],
  ]);
  await ownedBy(work, one, 'HEAD~1');
  await ownedBy(work, two, 'HEAD');

  const three = talkAndCommit(work, session, 'three');
  const [{ contexts } = { contexts: [] }] = expectHistory(work, 'HEAD', [
    ['three', [three]],
    ['two', [two]],
    ['one', [one]],
    ['meanwhile', []],
    ['begin', []],
  ]);
  expect(contexts[0]?.sessions).toMatchObject([
    { session_id: session.id, message_count: 8, new_messages: 4, continued_from_parent: true },
  ]);
});
