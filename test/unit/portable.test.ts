import { describe, expect, test } from 'vitest';
import { readConversation } from '../../src/claude/conversation.ts';
import type { PortableOptions } from '../../src/claude/portable.ts';
import { sessionMarker } from '../../src/claude/portable.ts';
import { mergeConversations } from '../../src/core/merge.ts';
import { increasingTimes } from '../../src/core/timestamps.ts';
import { validateTranscript, writePortable } from '../helpers/portable.ts';
import type { SessionBuilder } from './session-builder.ts';
import { session } from './session-builder.ts';

// biome-ignore lint/suspicious/noExplicitAny: parsed lines are looked into, and damaged, freely
type Loose = any;

const NOW = new Date('2026-02-01T00:00:00.000Z');
const options = (more: Partial<PortableOptions> = {}): PortableOptions => {
  let count = 0;
  const newUuid = (): string => `00000000-0000-4000-8000-${String(++count).padStart(12, '0')}`;
  return { sessionId: 'new', cwd: '/there', version: '2.1.329', gitBranch: 'main', title: 'Both', now: NOW, newUuid, ...more };
};
const write = (
  sessions: SessionBuilder[],
  more?: Partial<PortableOptions>,
): { records: Loose[]; lines: string[]; leafUuid: string | null } => {
  const merged = mergeConversations(sessions.map((s) => readConversation(String(s.records[0]?.['sessionId']), s.records)));
  const written = writePortable(merged, options(more));
  return { ...written, records: written.lines.map((line) => JSON.parse(line)) };
};
const work = (name: string, start?: string): SessionBuilder => {
  const s = session(name, start);
  s.prompt(`do ${name}`, { permissionMode: 'plan', gitBranch: 'secret', promptId: 'p' });
  s.reply(`msg-${name}`, { type: 'thinking', thinking: 'hm', signature: 'sig' }, { requestId: 'req' });
  s.call(`msg-${name}`, 'toolu_1');
  s.add({ type: 'attachment', attachment: { type: 'prompt_snapshot', prompt: 'author' } });
  s.result('toolu_1', `result of ${name}`, { toolUseResult: { stdout: 'x' } });
  s.reply(`done-${name}`, 'done');
  return s;
};

test('two sessions become one transcript that is sound', () => {
  const { records, lines, leafUuid } = write([work('a'), work('b', '2026-01-01T10:00:02.000Z')]);
  expect(validateTranscript(lines, NOW.getTime())).toEqual([]);
  expect(records.map((record) => record.type)).toEqual([
    ...['user', 'assistant', 'user', 'assistant'],
    ...['user', 'user', 'assistant', 'user', 'assistant'],
    ...['custom-title', 'last-prompt'],
  ]);
  expect(records[4].message.content).toBe(`<local-command-stdout>${sessionMarker('b')}</local-command-stdout>`);
  expect(records.at(-2)).toEqual({ type: 'custom-title', customTitle: 'Both', sessionId: 'new' });
  expect(records.at(-1)).toEqual({ type: 'last-prompt', lastPrompt: 'do b', leafUuid, sessionId: 'new' });
});

test('a record has nothing but what is allowed, and where it came from', () => {
  const { records } = write([work('a')]);
  expect(records[0]).toEqual({
    parentUuid: null,
    isSidechain: false,
    userType: 'external',
    cwd: '/there',
    sessionId: 'new',
    version: '2.1.329',
    gitBranch: 'main',
    type: 'user',
    message: { role: 'user', content: 'do a' },
    uuid: '00000000-0000-4000-8000-000000000001',
    timestamp: '2026-01-01T10:00:00.000Z',
    originalTimestamp: '2026-01-01T10:00:00.000Z',
    originalUuid: 'a-1',
    originalSessionId: 'a',
  });
  expect(records[1].message).toEqual({
    id: 'msg_00000000000040008000000000000003',
    type: 'message',
    role: 'assistant',
    model: 'claude',
    content: [{ type: 'tool_use', id: 'toolu_1', name: 'Bash', input: { command: 'toolu_1' } }],
    stop_reason: 'tool_use',
    stop_sequence: null,
    usage: { input_tokens: 0, output_tokens: 0, cache_creation_input_tokens: 0, cache_read_input_tokens: 0 },
  });
  expect(records[1]).toMatchObject({ originalUuid: 'msg-a', originalUsage: { input_tokens: 7 } });
});

test('the ids of calls that collide, or that the API refuses, are renamed on both sides', () => {
  const odd = session('c', '2026-01-02T00:00:00.000Z');
  odd.prompt('odd');
  odd.call('m', 'has spaces');
  odd.result('has spaces', 'odd result');
  const { records, lines } = write([work('a'), work('b', '2026-01-01T11:00:00.000Z'), odd]);
  expect(validateTranscript(lines, NOW.getTime())).toEqual([]);
  const blocks = records.flatMap((record) => (Array.isArray(record.message?.content) ? record.message.content : []));
  const calls = blocks.filter((block) => block.type === 'tool_use').map((block) => block.id);
  const results = blocks.filter((block) => block.type === 'tool_result');
  expect(calls[0]).toBe('toolu_1');
  expect(new Set(calls).size).toBe(3);
  expect(results.map((block) => [block.tool_use_id, block.content])).toEqual([
    [calls[0], 'result of a'],
    [calls[1], 'result of b'],
    [calls[2], 'odd result'],
  ]);
});

test('thinking and empty texts go, and messages that had nothing else with them', () => {
  const s = session('a');
  s.prompt('one');
  s.reply('m1', { type: 'thinking', thinking: 'only', signature: 'sig' });
  s.reply('m2', { type: 'redacted_thinking', data: 'x' });
  s.reply('m3', '\n\n');
  s.reply('m3', 'text');
  const image = { type: 'image', source: { type: 'base64', media_type: 'image/png', data: 'aaaa' } };
  s.add({ type: 'user', message: { role: 'user', content: [image, { type: 'text', text: '' }] } });
  const { records, lines } = write([s]);
  expect(validateTranscript(lines, NOW.getTime())).toEqual([]);
  expect(records.flatMap((record) => (record.message ? [record.message.content] : []))).toEqual([
    'one',
    [{ type: 'text', text: 'text' }],
    [image],
  ]);
});

test('masks are explained once, before everything', () => {
  const { records, lines } = write([work('a'), work('b')], { redacted: true });
  expect(validateTranscript(lines, NOW.getTime())).toEqual([]);
  expect(records.filter((record) => JSON.stringify(record).includes('[REDACTED:<rule>]'))).toEqual([records[0]]);
});

test('no times in the future, always rising, the real ones kept', () => {
  const { records, lines } = write([work('a', '2030-01-01T00:00:00.000Z')]);
  expect(validateTranscript(lines, NOW.getTime())).toEqual([]);
  expect(records[0]).toMatchObject({ timestamp: '2026-01-31T23:59:59.997Z', originalTimestamp: '2030-01-01T00:00:00.000Z' });
});

test.each([
  ['as they are', [1, 5, 9], [1, 5, 9]],
  ['equal', [5, 5, 5], [5, 6, 7]],
  ['jumping back', [5, 1, 9], [5, 6, 9]],
  ['in the future', [5, 200, 300], [5, 99, 100]],
  ['all in the future', [300, 200, 400], [98, 99, 100]],
  ['none', [Number.NaN, 5, Number.NaN], [4, 5, 6]],
  ['none at all', [Number.NaN, Number.NaN], [99, 100]],
])('times: %s', (_, wanted, times) => {
  expect(increasingTimes(wanted, 100)).toEqual(times);
});

test('a restored session that is captured again has its turns under their old sessions and ids', () => {
  const [a, b] = [work('a'), work('b', '2026-01-01T11:00:00.000Z')];
  const first = write([a, b], { redacted: true });
  const again = readConversation('new', first.records);
  const originals = mergeConversations([readConversation('a', a.records), readConversation('b', b.records)]);
  expect(again.turns.map((turn) => [turn.session_id, turn.at, turn.messages.map(({ id }) => id)])).toEqual([
    ['a', '2026-01-01T10:00:00.000Z', ['a-1', 'msg-a', 'a-5', 'done-a']],
    ['b', '2026-01-01T11:00:00.000Z', ['b-1', 'msg-b', 'b-5', 'done-b']],
  ]);
  const merged = mergeConversations([readConversation('a', a.records), again]);
  expect(merged.items.map((item) => item.kind)).toEqual(originals.items.map((item) => item.kind));
  expect(merged.duplicates).toBe(1);
  expect(again.turns[0]?.messages[1]?.usage).toEqual({ input_tokens: 7 });
});

test('a summary stays one, and what is meta stays so', () => {
  const s = session('a');
  s.prompt('summary', { isCompactSummary: true });
  s.prompt('reminder', { isMeta: true });
  expect(write([s]).records.slice(0, 2)).toMatchObject([
    { isCompactSummary: true, isVisibleInTranscriptOnly: true },
    { isMeta: true },
  ]);
});

test('nothing said', () => {
  const { lines, leafUuid } = write([]);
  expect(leafUuid).toBeNull();
  expect(validateTranscript(lines)).toEqual(['there is no message']);
});

describe('validateTranscript', () => {
  const damaged = (damage: (records: Loose[]) => unknown): string[] => {
    const { records } = write([work('a')]);
    damage(records);
    return validateTranscript(
      records.map((record) => JSON.stringify(record)),
      NOW.getTime(),
    );
  };
  test.each([
    ['repeats the uuid', (records: Loose[]) => (records[1].uuid = records[0].uuid)],
    ['does not follow the record before it', (records: Loose[]) => (records[2].parentUuid = records[0].uuid)],
    ['has no uuid', (records: Loose[]) => delete records[1].uuid],
    ['has no valid timestamp', (records: Loose[]) => (records[1].timestamp = 'soon')],
    ['is not later than', (records: Loose[]) => (records[1].timestamp = records[0].timestamp)],
    ['is in the future', (records: Loose[]) => (records[3].timestamp = '2030-01-01T00:00:00Z')],
    ['has another sessionId', (records: Loose[]) => (records[2].sessionId = 'other')],
    ['has no message content that is a list', (records: Loose[]) => (records[1].message.content = 'text')],
    ['has no message content that is a list', (records: Loose[]) => delete records[0].message],
    ['has no content', (records: Loose[]) => (records[3].message.content = [])],
    ['has an empty text', (records: Loose[]) => (records[0].message.content = '')],
    ['has the role assistant', (records: Loose[]) => (records[0].message.role = 'assistant')],
    ['begins the conversation with a reply', (records: Loose[]) => records.shift()],
    ['has no message.id of its own', (records: Loose[]) => (records[3].message.id = records[1].message.id)],
    ['answers [], not [toolu_1]', (records: Loose[]) => (records[2].message.content = 'no result')],
    ['answers [other], not [toolu_1]', (records: Loose[]) => (records[2].message.content[0].tool_use_id = 'other')],
    [
      'has a tool result after other content',
      (records: Loose[]) => records[2].message.content.unshift({ type: 'text', text: 'x' }),
    ],
    ['the tool call toolu_1 has no result', (records: Loose[]) => records.splice(2)],
    [
      'repeats the tool call',
      (records: Loose[]) => (records[3].message.content = [...records[1].message.content, ...records[1].message.content]),
    ],
    ['has a tool call in a message of the user', (records: Loose[]) => (records[2].message.content = records[1].message.content)],
    ['names a leaf that is not the last message', (records: Loose[]) => (records.at(-1).leafUuid = records[0].uuid)],
  ])('%s', (problem, damage) => {
    expect(damaged(damage).join('\n')).toContain(problem);
  });
});
