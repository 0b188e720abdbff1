import { randomUUID } from 'node:crypto';
import { mkdirSync, openSync, truncateSync, writeFileSync, writeSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import { candidates } from '../../src/capture/choose.ts';
import { OutOfTime } from '../../src/capture/read-file.ts';
import { accountOf } from '../../src/claude/account.ts';
import { findTranscript, type Subagents, sessionFiles } from '../../src/claude/discover.ts';
import { LONGEST_LINE } from '../../src/claude/reading.ts';
import { expectCaptured } from '../helpers/ownership.ts';
import { expectNoTrace } from '../helpers/plain-sentence.ts';
import { createWorkplace, writeSession } from '../helpers/workplace.ts';

test('a FIFO in place of the configuration file holds up no commit', () => {
  using work = createWorkplace();
  work.run('mkfifo', [join(work.home, '.claude.json')]);
  const session = work.session();
  session.say('the question');
  expectCaptured(work, work.commit(), [session]);
});

test('the account is that of the configuration in use', () => {
  using work = createWorkplace({ init: false });
  const config = join(work.home, '.claude');
  writeSession(work.home, work.dir).say('hello');
  const account = () => `{"oauthAccount":{"accountUuid":"${randomUUID()}"}}`;
  writeFileSync(join(work.home, '.claude.json'), account());
  expect(accountOf(config, { CLAUDE_CONFIG_DIR: config })).toBe(null);
  const beside = accountOf(config, {});
  expect(beside).toMatch(/^[0-9a-f]{32}$/);
  writeFileSync(join(config, '.claude.json'), account());
  expect(accountOf(config, {})).toBe(beside);
  expect(accountOf(config, { CLAUDE_CONFIG_DIR: config })).not.toBe(beside);
});

test('subagents beside the transcripts are read once for all sessions, and each session has its own', () => {
  using work = createWorkplace({ init: false });
  const sessions = [writeSession(work.home, work.dir), writeSession(work.home, work.dir)];
  for (const [at, session] of sessions.entries()) {
    session.say('hello');
    writeFileSync(join(dirname(session.path), `agent-${at}.jsonl`), `{"sessionId":"${session.id}"}\n`);
  }
  const beside: Subagents = new Map();
  const names = () =>
    sessions.map(({ id }) => {
      const found = findTranscript(join(work.home, '.claude'), id);
      return found === null ? null : sessionFiles(found, beside).map(({ name }) => name);
    });
  const expected = [
    ['transcript.jsonl', 'project/agent-0.jsonl'],
    ['transcript.jsonl', 'project/agent-1.jsonl'],
  ];
  expect(names()).toEqual(expected);
  writeFileSync(join(dirname((sessions[0] as { path: string }).path), 'agent-2.jsonl'), `{"sessionId":"${sessions[0]?.id}"}\n`);
  expect(names()).toEqual(expected);
});

test('looking through transcripts ends with the time box', () => {
  using work = createWorkplace({ init: false });
  writeSession(work.home, work.dir).say('hello');
  const facts = { config: join(work.home, '.claude'), tops: [work.dir], committing: undefined, since: 0, pending: null };
  const state = { latestSizes: () => new Map<string, number>(), captures: () => [], sessionsOf: () => [] };
  expect(candidates(facts, state)).toHaveLength(1);
  expect(() => candidates({ ...facts, deadline: Date.now() - 1 }, state)).toThrow(OutOfTime);
});

test('a line longer than any record is passed over, and what stands around it is kept', () => {
  using work = createWorkplace();
  const session = work.session();
  session.say('the question');
  const fd = openSync(session.path, 'r+');
  truncateSync(session.path, 2 * LONGEST_LINE);
  writeSync(fd, '\n', 2 * LONGEST_LINE);
  session.say('and on');
  const { stderr } = work.commit();
  expectNoTrace(stderr);
  expect(stderr).toContain(`session ${session.id.slice(0, 8)} has 1 line of more than 128 MiB, left out of this context.`);
  const { stdout } = work.cc('show');
  expect(stdout).toContain('the question');
  expect(stdout).toContain('and on');
  // The next capture goes on behind it.
  session.say('at last');
  expectCaptured(work, work.commit(), [session]);
  expect(work.cc('show').stdout).toContain('at last');
});

test('a side file that is one line longer than any record is told of', () => {
  using work = createWorkplace();
  const session = work.session();
  session.say('the question');
  const side = join(session.path.slice(0, -'.jsonl'.length), 'tool-results');
  mkdirSync(side, { recursive: true });
  writeFileSync(join(side, 'huge.txt'), 'a result');
  truncateSync(join(side, 'huge.txt'), 2 * LONGEST_LINE);
  expect(work.commit().stderr).toContain('has 1 line of more than 128 MiB, left out of this context.');
  expect(work.cc('show').stdout).toContain('the question');
});

test('a line longer than any record that has no end yet', () => {
  using work = createWorkplace();
  const session = work.session();
  session.say('the question');
  truncateSync(session.path, 2 * LONGEST_LINE);
  const { stderr } = work.commit();
  expectNoTrace(stderr);
  expect(work.cc('show').stdout).toContain('the question');
});
