import { describe, expect, test } from 'vitest';
import { shortensNames } from '../../src/claude/installed-version.ts';
import { isPortableSideFile, portableSideFile } from '../../src/claude/portable-side.ts';
import { relocator } from '../../src/claude/relocate.ts';

const OLD = '11111111-1111-4111-8111-111111111111';
const paths = relocator({
  side: { sessionIds: [OLD], folder: '/home/bob/.claude/projects/-n/new', paths: [] },
  tops: [['/a/b', '/n']],
});
const place = { sessionId: 'new', cwd: '/n', paths };
const lines = (...records: object[]) => Buffer.from(records.map((record) => `${JSON.stringify(record)}\n`).join(''));
const written = (path: string, bytes: Buffer) => portableSideFile(path, bytes, place).toString();
const read = (text: string | null) =>
  (text ?? '')
    .split('\n')
    .filter(Boolean)
    .map((line) => JSON.parse(line));

const chain = (uuid: string, parentUuid: string | null, rest: object) => ({
  uuid,
  parentUuid,
  isSidechain: true,
  agentId: 'a1',
  timestamp: '2026-01-01T00:00:00.000Z',
  cwd: '/a/b',
  sessionId: OLD,
  version: '2.1.329',
  gitBranch: 'secret-branch',
  permissionDecision: { decision: 'accept' },
  ...rest,
});
const user = (content: unknown) => ({ type: 'user', message: { role: 'user', content } });
const reply = (...content: object[]) => ({
  type: 'assistant',
  message: { id: 'm1', type: 'message', role: 'assistant', model: 'm', content, diagnostics: { x: 1 } },
});

describe('the transcript of a subagent', () => {
  const transcript = lines(
    chain('1', null, user(`look at /tmp/.claude/projects/-a/${OLD}/tool-results/x.txt and /a/b`)),
    chain('2', '1', { type: 'attachment', attachment: { type: 'prompt_snapshot', systemPrompt: ['secret'] } }),
    chain('3', '2', { type: 'attachment', attachment: { type: 'environment' } }),
    { type: 'api-request', params: { system: 'secret' }, message: { role: 'user', content: 'secret' } },
    chain('4', '3', reply({ type: 'thinking', thinking: 'hm', signature: 's' })),
    chain('5', '4', reply({ type: 'tool_use', id: 't', name: 'Bash', input: { command: 'ls /a/b' } })),
    chain('6', '5', user([{ type: 'tool_result', tool_use_id: 't', content: '/a/b/x' }])),
  );
  const records = read(written('side/subagents/agent-a1.jsonl', transcript));

  test('has what was said and done, in one chain, at the new place', () => {
    expect(records.map(({ uuid, parentUuid, type }) => [uuid, parentUuid, type])).toEqual([
      ['1', null, 'user'],
      ['5', '1', 'assistant'],
      ['6', '5', 'user'],
    ]);
    expect(records[0].message.content).toBe('look at /home/bob/.claude/projects/-n/new/tool-results/x.txt and /a/b');
    expect(records[1].message.content[0].input).toEqual({ command: 'ls /n' });
    expect(records[2].message.content[0].content).toBe('/n/x');
    for (const record of records)
      expect(record).toMatchObject({ cwd: '/n', sessionId: 'new', isSidechain: true, agentId: 'a1', version: '2.1.329' });
  });

  test('has nothing of the environment', () => {
    expect(JSON.stringify(records)).not.toMatch(/secret|permission|thinking|diagnostics/);
  });

  test('is found under every name that it can have', () => {
    for (const path of ['project/agent-0a1b2c3.jsonl', 'side/subagents/workflows/wf_1/agent-a1.jsonl'])
      expect(read(written(path, transcript))).toHaveLength(3);
  });
});

test('the description of a subagent says what it was for, not where it ran', () => {
  const bytes = Buffer.from(
    JSON.stringify({ agentType: 'Explore', description: 'd', toolUseId: 't', worktreePath: '/s' }, null, 2),
  );
  expect(JSON.parse(written('side/subagents/agent-a1.meta.json', bytes))).toEqual({
    agentType: 'Explore',
    description: 'd',
    toolUseId: 't',
  });
  expect(written('side/subagents/agent-a1.meta.json', Buffer.from('{"agentType":'))).toBe('{}'); // cut off
});

test('an overflowed result is rewritten as text and kept as bytes', () => {
  expect(written('side/tool-results/x.txt', Buffer.from('see /a/b/y'))).toBe('see /n/y');
  const binary = Buffer.from([0xff, 0xfe, ...Buffer.from(' /a/b ')]);
  expect(portableSideFile('side/tool-results/x.bin', binary, place)).toBe(binary);
});

test.each([
  ['side/subagents/agent-a1.jsonl', true],
  ['side/subagents/workflows/wf_1/agent-a1.meta.json', true],
  ['side/tool-results/x.txt', true],
  ['project/agent-0a1b2c3.jsonl', true],
  ['side/remote/state.json', false],
  ['side/subagents/workflows/wf_1/journal.jsonl', false],
])('%s comes along: %s', (path, expected) => {
  expect(isPortableSideFile(path)).toBe(expected);
  if (!expected) expect(() => written(path, Buffer.from('{}'))).toThrow(TypeError);
});

test.each([
  ['2.0.76', false],
  ['2.1.45', false],
  ['2.1.47', true],
  ['2.1.329', true],
  ['2.2.0', true],
  ['3.0.0', true],
  ['1.0.128', false],
  [null, true],
])('%s shortens long names: %s', (version, expected) => expect(shortensNames(version)).toBe(expected));
