import { expect, test } from 'vitest';
import { expectCaptured, noted } from '../helpers/ownership.ts';
import { createWorkplace } from '../helpers/workplace.ts';

test('a session whose snapshot file was taken out of the tip goes on from what the ancestor owns', async () => {
  using work = createWorkplace();
  const session = work.session();
  session.say('one');
  expectCaptured(work, work.commit(), [session]);
  await noted(work);
  work.git('rm', '-r', '--quiet', '.cc-snapshots');
  work.git('commit', '--quiet', '--no-verify', '-m', 'tidy');
  session.say('two');
  const { sessions } = expectCaptured(work, work.commit(), [session]);
  expect(sessions).toMatchObject([{ message_count: 4, new_messages: 2, continued_from_parent: true }]);
});
