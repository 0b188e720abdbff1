import { appendFileSync, mkdirSync, symlinkSync, utimesSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { projectName } from '../../src/claude/paths.ts';
import { expectCaptured, expectNotCaptured } from '../helpers/ownership.ts';
import { createWorkplace } from '../helpers/workplace.ts';

test('a session in a subdirectory', () => {
  using work = createWorkplace();
  mkdirSync(join(work.dir, 'packages/core'), { recursive: true });
  const session = work.session(join(work.dir, 'packages/core'));
  session.say('mend the core');
  expect(expectCaptured(work, work.commit(), [session])).toMatchObject({ sessions: [{ cwd: 'packages/core' }] });
});

test('a commit by way of a symbolic link to the repository', () => {
  using work = createWorkplace();
  const link = join(work.dir, '../link');
  symlinkSync(work.dir, link);
  const session = work.session(); // Claude Code notes the real path
  session.say('by the other way');
  work.write('file.txt', 'linked\n');
  work.git('add', 'file.txt');
  const ran = work.run('git', ['commit', '-m', 'linked'], { cwd: link, env: { PWD: link } });
  expect(expectCaptured(work, ran, [session])).toMatchObject({ sessions: [{ cwd: '.' }] });
});

test('a sibling directory whose name is encoded the same is another project', () => {
  using work = createWorkplace({ name: 'b/c' });
  const sibling = join(work.dir, '../../b-c');
  mkdirSync(sibling);
  expect(projectName(sibling)).toBe(projectName(work.dir));
  work.session(sibling).say('not about this repository');
  expectNotCaptured(work, work.commit());
  const session = work.session();
  session.say('about this one');
  expectCaptured(work, work.commit(), [session]);
});

test('a directory whose name begins with that of the repository is another project', () => {
  using work = createWorkplace();
  for (const name of ['repo-two', 'repo.old']) {
    mkdirSync(join(work.dir, '..', name));
    work.session(join(work.dir, '..', name)).say('not about this repository');
  }
  expectNotCaptured(work, work.commit());
});

test('a session that ended before the commit before is not about this one', () => {
  using work = createWorkplace();
  const old = work.session();
  old.say('long ago');
  const lastWeek = Date.now() / 1000 - 7 * 24 * 3600;
  utimesSync(old.path, lastWeek, lastWeek);
  expectNotCaptured(work, work.commit());
  old.say('taken up again');
  expect(expectCaptured(work, work.commit(), [old])).toMatchObject({ total_messages: 4, new_messages_since_parent: 4 });
});

test('nothing new was said: no context', () => {
  using work = createWorkplace();
  const session = work.session();
  session.say('two files');
  expectCaptured(work, work.commit('one'), [session]);
  expectNotCaptured(work, work.commit('other'));
});

test('two sessions are merged into one context', () => {
  using work = createWorkplace();
  const sessions = [work.session(), work.session()];
  sessions[0]?.say('in one terminal');
  sessions[1]?.say('in the other');
  sessions[0]?.say('and again');
  const ran = work.commit();
  expectCaptured(work, ran, sessions);
  expect(ran.stderr).toContain('  - 2 sessions merged\n  - 6 total messages (6 new since parent)\n');
});

test('an empty transcript is none', () => {
  using work = createWorkplace();
  const session = work.session();
  appendFileSync(session.path, '');
  expectNotCaptured(work, work.commit());
});
