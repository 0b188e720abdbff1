import { existsSync, globSync, readFileSync } from 'node:fs';
import { basename } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import { readConversation } from '../../src/claude/conversation.ts';
import { readRecords } from '../../src/claude/records.ts';
import type { Block, Conversation, Message, Turn } from '../../src/core/conversation.ts';
import { BYTES_PER_TOKEN, estimateTokens, IMAGE_TOKENS, OVERHEAD } from '../../src/core/tokens.ts';

// Real transcripts, which may not be copied into the project.
const CORPUS = fileURLToPath(new URL('../../../shared/transcripts/', import.meta.url));

const sizeOf = (block: Block): number => Buffer.byteLength(JSON.stringify(block));
/** A text whose JSON has this many bytes. */
const text = (bytes: number): Block => ({ type: 'text', text: 'x'.repeat(bytes - sizeOf({ type: 'text', text: '' })) });
const message = (role: Message['role'], content: Block[], request: number | null = null): Message => ({
  role,
  content,
  at: '2026-01-01T10:00:00.000Z',
  id: 'id',
  meta: false,
  model: role === 'assistant' ? 'claude' : null,
  usage:
    request === null ? null : { input_tokens: request >> 1, cache_read_input_tokens: request - (request >> 1), output_tokens: 0 },
  summary: false,
});
/** A turn of 1,200 bytes whose request had this many tokens. */
const turn = (request: number | null): Turn => ({
  session_id: 's',
  at: '2026-01-01T10:00:00.000Z',
  messages: [message('user', [text(800)]), message('assistant', [text(400)], request)],
});
const conversation = (turns: Turn[]): Conversation => ({
  session_id: 's',
  agent_version: null,
  cwd: null,
  title: null,
  turns,
  closed_calls: 0,
});
/** Twelve turns of 300 tokens (four bytes each) on top of 15,000 that are not in the transcript. */
const requests = Array.from({ length: 12 }, (_, index) => 15_200 + 300 * index);

test('bytes are made tokens by what the requests grew', () => {
  const turns = requests.map(turn);
  const { perTurn, request, overhead, total, calibrated, largest_usage } = estimateTokens([conversation(turns)], sizeOf);
  expect([overhead, calibrated, largest_usage]).toEqual([15_000, true, requests.at(-1)]);
  expect(turns.map(perTurn)).toEqual(turns.map(() => 300));
  expect(request(turns.slice(-2))).toBe(15_600);
  expect(total).toBe(15_000 + 12 * 300);
});

test('replies without usage, a compaction in between and a change of the model do no harm', () => {
  const turns = requests.map((tokens, index) => turn(index % 5 === 4 ? 0 : index === 3 ? null : tokens));
  for (const kept of turns.slice(0, 2))
    if (kept.messages[1] !== undefined) kept.messages[1] = message('assistant', [text(400)], 150_000);
  const other = turn(20_000);
  other.messages[1] = { ...(other.messages[1] as Message), model: 'another' };
  const estimate = estimateTokens([conversation([...turns, ...requests.map((tokens) => turn(tokens + 3600)), other])], sizeOf);
  expect([estimate.perTurn(other), estimate.overhead, estimate.largest_usage]).toEqual([300, 15_000, 150_000]);
});

test('too few replies with usage: the defaults', () => {
  for (const turns of [[], [turn(null), turn(0)], requests.map(() => turn(7))]) {
    const { perTurn, overhead, total, calibrated } = estimateTokens([conversation(turns)], sizeOf);
    expect([perTurn(turn(null)), overhead, calibrated]).toEqual([Math.ceil(1200 / BYTES_PER_TOKEN), OVERHEAD, false]);
    expect(total).toBe(OVERHEAD + turns.length * Math.ceil(1200 / BYTES_PER_TOKEN));
  }
});

test('a short session is measured by the others, a long one by itself', () => {
  const [long, short] = [requests.map(turn), requests.slice(0, 2).map(turn)];
  const dense = requests.map((_, index) => turn(15_200 + 600 * index));
  const alone = estimateTokens([conversation(long), conversation(short)], sizeOf);
  expect(alone.perTurn(short[0] as Turn)).toBe(300);
  const both = estimateTokens([conversation(long), conversation(dense)], sizeOf);
  expect([both.perTurn(long[0] as Turn), both.perTurn(dense[0] as Turn)]).toEqual([300, 600]);
});

test('images count by number, thinking not at all', () => {
  const image = { type: 'image', source: { type: 'base64', data: 'A'.repeat(500_000) } };
  const [plain, shown] = [turn(null), turn(null)];
  const thought = message('assistant', [{ type: 'thinking', thinking: 'hm '.repeat(9999), signature: 's' }]);
  const result = { type: 'tool_result', tool_use_id: 't', content: [image, null, { type: 'text', text: 'two' }] };
  shown.messages = [...shown.messages, message('user', [image]), thought, message('user', [result])];
  const { perTurn } = estimateTokens([conversation(requests.map(turn))], sizeOf);
  expect(perTurn(shown) - perTurn(plain)).toBeGreaterThan(2 * IMAGE_TOKENS);
  expect(perTurn(shown) - perTurn(plain)).toBeLessThan(2 * IMAGE_TOKENS + 100);
});

test('blocks whose JSON is not in memory count by the size that is given', () => {
  const large = turn(null);
  const spooled = { type: 'text', text: '  ', spooled: { hash: 'h', length: 4_000_000, images: { count: 0, bytes: 0 } } };
  large.messages.push(message('user', [spooled]));
  const size = (block: Block): number => (block as typeof spooled).spooled?.length ?? sizeOf(block);
  expect(estimateTokens([conversation([...requests.map(turn), large])], size).perTurn(large)).toBe(1_000_300);
});

describe.skipIf(!existsSync(CORPUS))('real transcripts', () => {
  const sessions = globSync('**/*.jsonl', { cwd: CORPUS })
    .map((path) => readConversation(basename(path, '.jsonl'), readRecords(readFileSync(CORPUS + path)).records))
    .map(({ turns, ...rest }) => ({ ...rest, messages: turns.flatMap(({ messages }) => messages) }))
    .filter(({ messages }) => messages.filter(counted).length >= 20);

  test('the later half of a session is foretold from the first', () => {
    const steps: number[] = [];
    const wholes: number[] = [];
    for (const { messages, ...rest } of sessions) {
      const replies = messages.flatMap((one, index) => (counted(one) ? [index] : []));
      const half = replies[replies.length >> 1] as number;
      const known = conversation([asTurn(messages.slice(0, half))]);
      const { perTurn, calibrated } = estimateTokens([{ ...rest, ...known }], sizeOf);
      if (!calibrated) continue;
      let [foretold, grown] = [0, 0];
      for (const [at, index] of replies.entries()) {
        const next = replies[at + 1];
        const growth = next === undefined ? 0 : requestOf(messages[next]) - requestOf(messages[index]);
        if (index < half || growth <= 0) continue;
        const tokens = perTurn(asTurn(messages.slice(index, next)));
        steps.push(Math.abs(tokens - growth) / growth);
        foretold += tokens;
        grown += growth;
      }
      wholes.push(Math.abs(foretold - grown) / grown);
    }
    expect(wholes.length).toBeGreaterThan(20);
    expect(middle(steps)).toBeLessThan(0.18);
    expect(middle(wholes)).toBeLessThan(0.18);
  });

  test('what is not in a transcript is between 10,000 and 60,000 tokens', () => {
    const overheads = sessions.map(
      ({ messages, ...rest }) => estimateTokens([{ ...rest, turns: [asTurn(messages)] }], sizeOf).overhead,
    );
    expect(Math.min(...overheads)).toBeGreaterThan(10_000);
    expect(Math.max(...overheads)).toBeLessThan(60_000);
    expect(Math.abs(middle(overheads) / OVERHEAD - 1)).toBeLessThan(0.2);
  });
});

const asTurn = (messages: Message[]): Turn => ({ session_id: 's', at: '', messages });
const counted = (message: Message): boolean => requestOf(message) > 1000;

function requestOf(message: Message | undefined): number {
  const {
    input_tokens: fresh = 0,
    cache_creation_input_tokens: written = 0,
    cache_read_input_tokens: read = 0,
  } = (message?.usage ?? {}) as Record<string, number>;
  return fresh + written + read;
}

function middle(values: number[]): number {
  return values.toSorted((a, b) => a - b)[values.length >> 1] as number;
}
