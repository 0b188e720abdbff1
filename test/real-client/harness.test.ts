import { spawnSync } from 'node:child_process';
import { mkdir, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { messagesOf } from '../helpers/api-request.ts';
import type { Person } from '../helpers/claude.ts';
import { createPerson } from '../helpers/claude.ts';
import { CLAUDE_VERSIONS } from '../helpers/claude-install.ts';
import type { MockApi } from '../helpers/mock-api.ts';
import { SUMMARY, startMockApi } from '../helpers/mock-api.ts';
import * as make from '../helpers/sessions.ts';
import type { TranscriptRecord } from '../helpers/transcript.ts';
import { blocksIn, recordsOf, spoken } from '../helpers/transcript.ts';

/** The rewind needs a terminal; .ci/run installs it. */
const hasTmux = spawnSync('tmux', ['-V']).status === 0;

vi.setConfig({ testTimeout: 60_000 });

describe.each(CLAUDE_VERSIONS)('Claude Code %s', (version) => {
  let api: MockApi;
  let person: Person;
  let cwd: string;

  beforeEach(async () => {
    api = await startMockApi();
    person = await createPerson({ version, api });
    cwd = join(person.home, 'my repo_ü');
    await mkdir(cwd);
  });
  afterEach(async () => {
    await person.close();
    await api.close();
  });

  const transcript = async (session: string): Promise<TranscriptRecord[]> => {
    const path = (await person.sessions(cwd)).find((candidate) => candidate.endsWith(`/${session}.jsonl`));
    return recordsOf(path ?? expect.fail(`no transcript of ${session}`));
  };
  const resultsIn = (records: TranscriptRecord[]): unknown[] => records.flatMap((record) => blocksIn(record, 'tool_result'));

  /** Resumes a session; what the model gets must begin with all that it got and said before. */
  const expectContinued = async (session: string): Promise<void> => {
    const before = messagesOf(api.lastRequest(session));
    await person.prompt('what did we do?', { cwd, resume: session });
    expect(api.lastRequest(session).prompt).toBe('what did we do?');
    expect(messagesOf(api.lastRequest(session)).slice(0, before.length)).toEqual(before);
    expect(api.requests.flatMap((request) => request.violations)).toEqual([]);
  };

  test('a session that was resumed', async () => {
    const session = await make.resumedSession(person, cwd);
    const records = await transcript(session);
    const asked = records.filter((record) => record.type === 'user');
    expect(asked.map((record) => record['sessionId'])).toEqual([session, session, session]);
    expect(JSON.stringify(resultsIn(records))).toContain('alpha');
    expect(spoken(records).flatMap((record) => blocksIn(record, 'thinking'))).toHaveLength(2);
    expect(spoken(records).at(-1)?.message).toMatchObject({ usage: { input_tokens: 1234, cache_read_input_tokens: 56 } });
    await expectContinued(session);
  });

  test('parallel tool calls fork the chain', async () => {
    const session = await make.parallelSession(person, cwd);
    const records = await transcript(session);
    const calls = records.filter((record) => blocksIn(record, 'tool_use').length > 0);
    const results = records.filter((record) => blocksIn(record, 'tool_result').length > 0);
    expect(calls).toHaveLength(3);
    expect(results).toHaveLength(3);
    expect(new Set(calls.map((call) => call.message?.id)).size).toBe(1);
    expect(new Set(results.map((result) => result.parentUuid)).size).toBe(3);
    await expectContinued(session);
  });

  test('a compaction', async () => {
    const session = await make.compactedSession(person, cwd);
    const records = await transcript(session);
    expect(records.find((record) => record.subtype === 'compact_boundary')).toMatchObject({ parentUuid: null });
    expect(records.find((record) => record.isCompactSummary)?.message?.content).toContain(SUMMARY);
    expect(JSON.stringify(messagesOf(api.lastRequest(session)))).not.toContain('echo before');
    await expectContinued(session);
  });

  test('a large result is kept in a file of its own since 2.1', async () => {
    const session = await make.largeResultSession(person, cwd);
    const results = JSON.stringify(resultsIn(await transcript(session)));
    const [path = ''] = await person.sessions(cwd);
    if (version === '2.0.76') expect(results).not.toContain('<persisted-output>');
    else {
      expect(results).toContain('<persisted-output>');
      expect(await readdir(join(path.replace('.jsonl', ''), 'tool-results'))).toHaveLength(1);
    }
    await expectContinued(session);
  });

  test('a subagent writes a transcript of its own', async () => {
    const session = await make.subagentSession(person, cwd);
    const [path = ''] = await person.sessions(cwd);
    const directory = version === '2.0.76' ? join(path, '..') : join(path.replace('.jsonl', ''), 'subagents');
    const names = (await readdir(directory)).filter((name) => /^agent-.*\.jsonl$/.test(name));
    const agents = await Promise.all(names.map((name) => recordsOf(join(directory, name))));
    expect(agents.flat().filter((record) => record.type === 'user' && !record.isSidechain)).toEqual([]);
    expect(JSON.stringify(agents)).toContain('echo looking');
    expect(JSON.stringify(await transcript(session))).not.toContain('echo looking');
    expect(api.requests.filter((request) => request.kind === 'subagent')).toHaveLength(2);
    await expectContinued(session);
  });

  test.skipIf(!hasTmux)('a rewind leaves the abandoned branch in the file', async () => {
    const session = await make.rewoundSession(person, cwd);
    const prompts = (await transcript(session)).filter((record) => String(record.message?.content).endsWith(' question'));
    const [, second, better] = prompts;
    expect(prompts.map((prompt) => prompt.message?.content)).toEqual(['first question', 'second question', 'better question']);
    expect(better?.parentUuid).toBe(second?.parentUuid);
    expect(JSON.stringify(messagesOf(api.lastRequest(session)))).not.toContain('second question');
    await expectContinued(session);
  });

  test('two terminals at once', async () => {
    const [left, right] = await make.overlappingSessions(person, cwd);
    expect(await person.sessions(cwd)).toHaveLength(2);
    const timesOf = async (session: string, text: string): Promise<string[]> => {
      const records = spoken(await transcript(session)).filter((record) => JSON.stringify(record.message).includes(text));
      return records.map((record) => record.timestamp ?? expect.fail('a message without a time'));
    };
    const overlaps = (outer: string[], inner: string[]): void => {
      expect([...outer.slice(0, 1), ...inner, ...outer.slice(-1)].toSorted()).toEqual([outer[0], ...inner, outer.at(-1)]);
      expect(inner.length).toBeGreaterThan(1);
    };
    overlaps(await timesOf(left, 'left 1'), await timesOf(right, 'right 1'));
    overlaps(await timesOf(right, 'right 2'), await timesOf(left, 'left 2'));
    await expectContinued(left);
    await expectContinued(right);
  });

  test('a command of the agent sees its own call unfinished', async () => {
    const copy = 'cat "$HOME"/.claude/projects/*/????????-*.jsonl > seen.jsonl; printenv CLAUDE_CODE_SESSION_ID || echo unnamed';
    const session = await make.commandSession(person, cwd, copy);
    const seen = await recordsOf(join(cwd, 'seen.jsonl'));
    const records = await transcript(session);
    expect(records.slice(0, seen.length)).toEqual(seen);
    expect(seen.flatMap((record) => blocksIn(record, 'tool_use'))).toHaveLength(1);
    expect(resultsIn(seen)).toEqual([]);
    expect(JSON.stringify(resultsIn(records))).toContain(version === '2.0.76' ? 'unnamed' : session);
    await expectContinued(session);
  });

  test('a session that does not exist', async () => {
    const result = await person.run(['-p', 'hello', '--resume', '00000000-0000-4000-8000-000000000000'], { cwd });
    expect(result).toMatchObject({ code: 1, stderr: expect.stringContaining('No conversation found') });
    expect(api.conversationRequests()).toEqual([]);
  });
});
