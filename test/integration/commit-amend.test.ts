import { expect, test } from 'vitest';
import { expectCaptured, listedCommit, noted } from '../helpers/ownership.ts';
import { createWorkplace } from '../helpers/workplace.ts';

test('--amend of the message alone: the new commit owns the same context', async () => {
  using work = createWorkplace();
  const session = work.session();
  session.say('add a parser');
  const { context_id } = expectCaptured(work, work.commit('typo'), [session]);
  const ran = work.run('git', ['commit', '--amend', '-m', 'no typo']);
  expect(ran).toMatchObject({ code: 0 });
  expect(ran.stderr).toBe('');
  expect(work.contexts()).toEqual([context_id]);
  expect(work.dirt()).toBe('');
  await noted(work);
});

test('--amend with a change and nothing new said: the same context', () => {
  using work = createWorkplace();
  const session = work.session();
  session.say('add a parser');
  const { context_id } = expectCaptured(work, work.commit(), [session]);
  work.write('file.txt', 'amended\n');
  const ran = work.run('git', ['commit', '-a', '--amend', '--no-edit']);
  expect(ran.stderr).toBe('');
  expect(work.contexts()).toEqual([context_id]);
  expect(listedCommit(work).contexts).toMatchObject([{ context_id }]);
  expect(work.dirt()).toBe('');
});

test('--amend with a change and new messages: the commit owns both contexts, which add up', () => {
  using work = createWorkplace();
  const session = work.session();
  session.say('add a parser');
  const { context_id } = expectCaptured(work, work.commit(), [session]);
  session.say('handle the empty file too');
  work.write('file.txt', 'amended\n');
  const ran = work.run('git', ['commit', '-a', '--amend', '--no-edit']);
  expect(ran.stderr).toContain(
    '✓ Captured Claude context for this commit\n  - 1 session\n  - 4 total messages (2 new since parent)\n',
  );
  expect(work.contexts()).toHaveLength(2);
  const { contexts } = listedCommit(work);
  expect(contexts.map((context) => context.context_id).sort()).toEqual(work.contexts().sort());
  expect(contexts.map((context) => context.context_id)).toContain(context_id);
  expect(contexts.map((context) => context.new_messages_since_parent)).toEqual([2, 2]);
  expect(work.dirt()).toBe('');
});

test('--amend of the message alone with new messages: the next commit has them', () => {
  using work = createWorkplace();
  const session = work.session();
  session.say('add a parser');
  const { context_id } = expectCaptured(work, work.commit('typo'), [session]);
  session.say('mend the message');
  work.git('commit', '--quiet', '--amend', '-m', 'no typo');
  expect(work.contexts()).toEqual([context_id]);
  const next = expectCaptured(work, work.commit(), [session]);
  expect(next).toMatchObject({ total_messages: 4, new_messages_since_parent: 2, sessions: [{ continued_from_parent: true }] });
});

test('--amend of the first commit', () => {
  using work = createWorkplace({ begin: false });
  const session = work.session();
  session.say('begin');
  const { context_id } = expectCaptured(work, work.commit(), [session]);
  work.git('commit', '--quiet', '--amend', '-m', 'begin well');
  expect(work.contexts()).toEqual([context_id]);
  expect(work.dirt()).toBe('');
});
