import { expect, test } from 'vitest';
import { expectCaptured, expectNotCaptured, noted, snapshotOf } from '../helpers/ownership.ts';
import { createWorkplace } from '../helpers/workplace.ts';

/** Commits that no capture sees: noted, and named by the next context, which has what was said for them. */
test.each([['--no-verify'], ['--allow-empty']])('commit %s is covered by the next context', async (option) => {
  using work = createWorkplace();
  const session = work.session();
  session.say('quickly');
  if (option === '--no-verify') {
    work.write('quick.txt', 'quick\n');
    work.git('add', 'quick.txt');
  }
  expectNotCaptured(work, work.run('git', ['commit', option, '-m', 'unseen']));
  const unseen = work.git('rev-parse', 'HEAD');
  await noted(work);

  session.say('properly');
  const { context_id, ...context } = expectCaptured(work, work.commit(), [session]);
  expect(context).toMatchObject({ total_messages: 4, new_messages_since_parent: 4 });
  expect(snapshotOf(work, context_id).covers).toEqual([unseen]);
  await noted(work);

  session.say('go on');
  const next = expectCaptured(work, work.commit(), [session]);
  expect(snapshotOf(work, next.context_id)).not.toHaveProperty('covers');
});

test('nothing said since: the next commit still captures what was said for the unseen one', async () => {
  using work = createWorkplace();
  const session = work.session();
  session.say('quickly');
  work.write('quick.txt', 'quick\n');
  work.git('add', 'quick.txt');
  const later = { GIT_COMMITTER_DATE: new Date(Date.now() + 60_000).toISOString() }; // the commit is younger than what was said
  expect(work.run('git', ['commit', '--no-verify', '-m', 'unseen'], { env: later }).code).toBe(0);
  await noted(work);
  expectCaptured(work, work.commit(), [session]);
});
