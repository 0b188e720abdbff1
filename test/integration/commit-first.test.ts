import { expect, test } from 'vitest';
import { expectCaptured, expectNotCaptured, noted } from '../helpers/ownership.ts';
import { createWorkplace } from '../helpers/workplace.ts';

test('the first commit of a repository owns a context', () => {
  using work = createWorkplace({ begin: false });
  const session = work.session();
  session.say('begin the project');
  const context = expectCaptured(work, work.commit(), [session]);
  expect(context).toMatchObject({
    total_messages: 2,
    new_messages_since_parent: 2,
    sessions: [{ continued_from_parent: false, cwd: '.' }],
  });
  expect(work.git('rev-list', '--count', 'HEAD')).toBe('1');
});

test('the first commit aborted, then made', () => {
  using work = createWorkplace({ begin: false });
  const session = work.session();
  session.say('begin the project');
  work.write('file.txt', 'begin\n');
  work.git('add', 'file.txt');
  expect(work.run('git', ['commit', '-m', '']).code).toBe(1);
  expectCaptured(work, work.run('git', ['commit', '-m', 'begin']), [session]);
});

test('the first commit undone and made again owns the same context', async () => {
  using work = createWorkplace({ begin: false });
  const session = work.session();
  session.say('begin the project');
  const { context_id } = expectCaptured(work, work.commit(), [session]);
  await noted(work);
  work.git('update-ref', '-d', 'HEAD');
  work.commit('begin better');
  expect(work.contexts()).toEqual([context_id]);
  expect(work.dirt()).toBe('');
});

test('the first commit of an orphan branch is about what was said since', () => {
  using work = createWorkplace();
  const earlier = work.session();
  earlier.say('on main');
  expectCaptured(work, work.commit(), [earlier]);
  work.git('switch', '--quiet', '--orphan', 'pages');
  expectNotCaptured(work, work.commit());

  work.git('switch', '--quiet', '--orphan', 'more-pages');
  const session = work.session();
  session.say('write the pages');
  expectCaptured(work, work.commit(), [session]);
});

test('the first commit was made with --no-verify: the second has what was said for it', async () => {
  using work = createWorkplace({ begin: false });
  const session = work.session();
  session.say('begin the project');
  work.write('new.txt', 'new\n');
  work.git('add', 'new.txt');
  const later = { GIT_COMMITTER_DATE: new Date(Date.now() + 60_000).toISOString() };
  expect(work.run('git', ['commit', '--no-verify', '-m', 'begin'], { env: later }).code).toBe(0);
  await noted(work);
  expectCaptured(work, work.commit(), [session]);
});
