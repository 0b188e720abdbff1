import { expect, test } from 'vitest';
import { expectCaptured } from '../helpers/ownership.ts';
import { createWorkplace } from '../helpers/workplace.ts';

test('the first commit of a repository owns a context', () => {
  using work = createWorkplace({ begin: false });
  const session = work.session();
  session.say('begin the project');
  const context = expectCaptured(work, work.commit(), [session]);
  expect(context).toMatchObject({ total_messages: 2, new_messages_since_parent: 2, sessions: [{ continued_from_parent: false, cwd: '.' }] });
  expect(work.git('rev-list', '--count', 'HEAD')).toBe('1');
});
