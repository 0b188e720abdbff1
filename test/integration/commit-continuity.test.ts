import { expect, test } from 'vitest';
import { expectCaptured, expectNotCaptured } from '../helpers/ownership.ts';
import { createWorkplace } from '../helpers/workplace.ts';

const seen = ({ sessions }: ReturnType<typeof expectCaptured>) =>
  Object.fromEntries(
    sessions.map((session) => [session.session_id, [session.message_count, session.new_messages, session.continued_from_parent]]),
  );

test('A continued, B fresh, C mixed', () => {
  using work = createWorkplace();
  const first = work.session();
  first.say('one');
  const fresh = expectCaptured(work, work.commit(), [first]);
  expect(seen(fresh)).toEqual({ [first.id]: [2, 2, false] });

  first.say('two');
  const ran = work.commit();
  expect(seen(expectCaptured(work, ran, [first]))).toEqual({ [first.id]: [4, 2, true] });
  expect(ran.stderr).toContain('  - 4 total messages (2 new since parent)\n');

  const second = work.session();
  second.say('in a new terminal');
  expect(seen(expectCaptured(work, work.commit(), [second]))).toEqual({ [second.id]: [2, 2, false] });

  first.say('three');
  second.say('four');
  second.say('five');
  const mixed = work.session();
  mixed.say('six');
  const last = work.commit();
  // The nearest ancestor that has the first session is not the parent.
  expect(seen(expectCaptured(work, last, [first, second, mixed]))).toEqual({
    [first.id]: [6, 2, true],
    [second.id]: [6, 4, true],
    [mixed.id]: [2, 2, false],
  });
  expect(last.stderr).toContain('  - 3 sessions merged\n  - 14 total messages (8 new since parent)\n');
});

test('after a switch to an older branch what counts is what that branch has', () => {
  using work = createWorkplace();
  const session = work.session();
  session.say('one');
  expectCaptured(work, work.commit(), [session]);
  work.git('branch', 'older');
  session.say('two');
  expectCaptured(work, work.commit(), [session]);
  session.say('three');
  expectCaptured(work, work.commit(), [session]);

  work.git('switch', '--quiet', 'older');
  session.say('four');
  expect(seen(expectCaptured(work, work.commit(), [session]))).toEqual({ [session.id]: [8, 6, true] });

  work.git('switch', '--quiet', 'main');
  session.say('five');
  expect(seen(expectCaptured(work, work.commit(), [session]))).toEqual({ [session.id]: [10, 4, true] });
});

test('on a branch from before the session it is fresh', () => {
  using work = createWorkplace();
  const session = work.session();
  session.say('one');
  expectCaptured(work, work.commit(), [session]);
  work.git('switch', '--quiet', '--create', 'side', 'HEAD~1');
  session.say('two');
  expect(seen(expectCaptured(work, work.commit(), [session]))).toEqual({ [session.id]: [4, 4, false] });
});

test.each([[false], [true]])('after reset --hard HEAD~1, more said: %s', (more) => {
  using work = createWorkplace();
  const session = work.session();
  session.say('one');
  expectCaptured(work, work.commit(), [session]);
  session.say('two');
  expectCaptured(work, work.commit(), [session]);
  work.git('reset', '--quiet', '--hard', 'HEAD~1');
  if (more) session.say('three');
  // What the commit that was thrown away had is in no ancestor now: it belongs to this one.
  expect(seen(expectCaptured(work, work.commit('anew'), [session]))).toEqual({
    [session.id]: more ? [6, 4, true] : [4, 2, true],
  });
  expectNotCaptured(work, work.commit('and nothing new'));
});

test("a context that came by cherry-pick counts as the ancestor's", () => {
  using work = createWorkplace();
  work.git('branch', 'side');
  const session = work.session();
  session.say('one');
  work.write('new.txt', 'new\n');
  work.git('add', 'new.txt');
  expectCaptured(work, work.run('git', ['commit', '-m', 'one']), [session]);
  work.git('switch', '--quiet', 'side');
  work.git('cherry-pick', 'main');
  session.say('two');
  expect(seen(expectCaptured(work, work.commit(), [session]))).toEqual({ [session.id]: [4, 2, true] });
});
