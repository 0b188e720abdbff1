import { rmSync, utimesSync } from 'node:fs';
import { expect, test } from 'vitest';
import { expectCaptured, expectNotCaptured, noted } from '../helpers/ownership.ts';
import type { Ran } from '../helpers/repo.ts';
import { createWorkplace, type Workplace } from '../helpers/workplace.ts';

/** Ways in which a commit fails after pre-commit has staged the snapshot file. */
const ABORTS: Record<string, (work: Workplace, ...args: string[]) => Ran> = {
  'an empty message': (work, ...args) => work.run('git', ['commit', ...args, '-m', '']),
  'a commit-msg hook': (work, ...args) => {
    const hook = work.write('.git/hooks/commit-msg', '#!/bin/sh\nexit 1\n', 0o755);
    const ran = work.run('git', ['commit', ...args, '-m', 'refused']);
    rmSync(hook);
    return ran;
  },
  'a pre-commit hook that goes on after ours': (work, ...args) =>
    work.run('git', ['commit', ...args, '-m', 'refused'], { env: { REFUSE: '1' } }),
  'failing signing': (work, ...args) => work.run('git', ['-c', 'gpg.program=false', 'commit', ...args, '-S', '-m', 'unsigned']),
};

const abortedWorkplace = () => {
  const work = createWorkplace({ init: false });
  work.write('.git/hooks/pre-commit', '#!/bin/sh\n[ -z "$REFUSE" ]\n', 0o755);
  expect(work.cc('init').code).toBe(0);
  work.commit('a file');
  return work;
};

test.each(Object.entries(ABORTS))('aborted by %s, then retried: the same context', (_, abort) => {
  using work = abortedWorkplace();
  const session = work.session();
  session.say('write it');
  work.write('file.txt', 'written\n');
  work.git('add', 'file.txt');
  const aborted = abort(work);
  expect(aborted.code).not.toBe(0);
  const announced = /ctx-[0-9a-f]{8}/.exec(aborted.stderr)?.[0];
  expect(announced).toBeDefined();
  const { context_id } = expectCaptured(work, work.run('git', ['commit', '-m', 'retried']), [session]);
  expect(context_id.slice(0, 12)).toBe(announced);
});

test.each(Object.entries(ABORTS))('aborted by %s, more said, then retried: one context with all of it', (_, abort) => {
  using work = abortedWorkplace();
  const session = work.session();
  session.say('write it');
  work.write('file.txt', 'written\n');
  work.git('add', 'file.txt');
  expect(abort(work).code).not.toBe(0);
  session.say('write it better');
  const context = expectCaptured(work, work.run('git', ['commit', '-m', 'retried']), [session]);
  expect(context).toMatchObject({ total_messages: 4, new_messages_since_parent: 4 });
});

/** With these the snapshot file goes into an index that Git throws away. */
test.each([['-a'], ['-i file.txt'], ['-- file.txt']])('commit %s aborted twice, then made', (way) => {
  using work = abortedWorkplace();
  const session = work.session();
  session.say('write it');
  work.write('file.txt', 'written\n');
  const args = way.split(' ');
  for (const _ of [1, 2]) expect(work.run('git', ['commit', '-m', '', ...args]).code).toBe(1);
  expectCaptured(work, work.run('git', ['commit', '-m', 'made', ...args]), [session]);
});

test.each([['reset --quiet'], ['reset --quiet --hard'], ['stash --quiet']])('aborted, then git %s, then committed', (undo) => {
  using work = abortedWorkplace();
  const session = work.session();
  session.say('write it');
  work.write('file.txt', 'written\n');
  work.git('add', 'file.txt');
  expect(work.run('git', ['commit', '-m', '']).code).toBe(1);
  work.git(...undo.split(' '));
  expectCaptured(work, work.commit(), [session]);
});

test('aborted, reset, then committed, where the commit before is younger than what was said', async () => {
  using work = abortedWorkplace();
  const session = work.session();
  session.say('write it');
  const later = { GIT_COMMITTER_DATE: new Date(Date.now() + 60_000).toISOString() };
  expect(work.run('git', ['commit', '--no-verify', '--allow-empty', '-m', 'unseen'], { env: later }).code).toBe(0);
  await noted(work);
  work.write('file.txt', 'written\n');
  expect(work.run('git', ['commit', '-a', '-m', '']).code).toBe(1);
  expectCaptured(work, work.commit(), [session]);
});

test('aborted, then made with --no-verify: the commit owns what was staged for it', () => {
  using work = abortedWorkplace();
  const session = work.session();
  session.say('write it');
  work.write('file.txt', 'written\n');
  work.git('add', 'file.txt');
  expect(work.run('git', ['commit', '-m', '']).code).toBe(1);
  expect(work.run('git', ['commit', '--no-verify', '-m', 'made']).stderr).toBe('');
  expect(work.contexts()).toHaveLength(1);
  expect(work.dirt()).toBe('');
});

test('aborted, then committed on another branch: its context stands on that branch', () => {
  using work = abortedWorkplace();
  work.git('branch', 'other', 'HEAD~1');
  const session = work.session();
  session.say('write it');
  work.write('new.txt', 'new\n');
  work.git('add', 'new.txt');
  expect(work.run('git', ['commit', '-m', '']).code).toBe(1);
  work.git('switch', '--quiet', 'other');
  expectCaptured(work, work.run('git', ['commit', '-m', 'there']), [session]);
});

test('aborted, and the session deleted meanwhile: no context, and nothing of it left', () => {
  using work = abortedWorkplace();
  const session = work.session();
  session.say('write it');
  work.write('file.txt', 'written\n');
  work.git('add', 'file.txt');
  expect(work.run('git', ['commit', '-m', '']).code).toBe(1);
  rmSync(session.path);
  const old = work.session();
  old.say('long ago');
  utimesSync(old.path, 0, 0);
  expectNotCaptured(work, work.run('git', ['commit', '-m', 'made']));
});
