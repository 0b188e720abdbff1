import { existsSync, globSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { readConversation } from '../../src/claude/conversation.ts';
import { readRecords } from '../../src/claude/records.ts';
import { recordsFrom } from '../../src/context/conversations.ts';
import { roomFor, type Spool, withSpool } from '../../src/context/spool.ts';
import { fingerprintOf, sizeOf } from '../../src/core/block.ts';
import type { Block, Turn } from '../../src/core/conversation.ts';
import { session } from './session-builder.ts';

// Real transcripts, which may not be copied into the project.
const CORPUS = fileURLToPath(new URL('../../../shared/transcripts/', import.meta.url));
const home = mkdtempSync(join(tmpdir(), 'cc-spool-'));
const before = process.env['CC_CONTEXT_HOME'];

beforeAll(() => {
  process.env['CC_CONTEXT_HOME'] = home;
});
afterAll(() => {
  if (before === undefined) delete process.env['CC_CONTEXT_HOME'];
  else process.env['CC_CONTEXT_HOME'] = before;
  rmSync(home, { recursive: true });
});

function contentOf(spool: Spool, block: Block): unknown {
  const room = Buffer.alloc(roomFor(block) + 10, '?');
  const end = spool.write(block, room, 5);
  expect(String(room.subarray(0, 5)) + String(room.subarray(end))).toMatch(/^\?+$/);
  return JSON.parse(room.toString('utf8', 5, end));
}

test('a block comes back as it was, large or small, and the same content is kept once', async () => {
  await withSpool(async (spool) => {
    const image = { type: 'image', source: { type: 'base64', data: 'A'.repeat(3_000_000) } };
    const blocks: Block[] = [
      { type: 'text', text: 'short "quoted" ünï 😀' },
      { type: 'text', text: 'long 😀'.repeat(20_000) },
      { type: 'tool_use', id: 'toolu_1', name: 'Bash', input: { command: 'x'.repeat(1000) } },
      { type: 'tool_result', tool_use_id: 'toolu_1', content: [{ type: 'text', text: 'ü'.repeat(1000) }, image], is_error: true },
      { type: 'document' },
    ];
    const kept = blocks.map(spool.keep);
    expect(kept.map(({ spooled }) => spooled !== undefined)).toEqual([false, true, true, true, false]);
    expect(kept.map((block) => contentOf(spool, block))).toEqual(blocks);
    expect(kept.map(sizeOf)).toEqual(blocks.map(sizeOf));
    expect(kept.map(fingerprintOf)).toEqual(blocks.map(fingerprintOf));
    expect(kept[3]?.spooled?.images).toEqual({ count: 1, bytes: JSON.stringify(image).length });
    const again = spool.keep({ ...(blocks[2] as Block), id: 'toolu_2' });
    expect(contentOf(spool, again)).toEqual({ ...blocks[2], id: 'toolu_2' });
    expect(again.spooled).toEqual(kept[2]?.spooled);
    expect(readdirSync(home)).toEqual([]); // without a name
  });
});

test('thinking is never kept', async () => {
  await withSpool(async (spool) =>
    expect(spool.keep({ type: 'thinking', thinking: 'secret', signature: 's' })).toEqual({ type: 'thinking' }),
  );
});

/** A conversation must be the same with its contents in a spool. */
async function expectSame(bytes: Buffer): Promise<void> {
  const withoutThinking = (turns: Turn[], read: (block: Block) => unknown) =>
    turns.map(({ messages, ...turn }) => ({
      ...turn,
      messages: messages.map((message) => ({
        ...message,
        content: message.content.filter(({ type }) => !/thinking/.test(type)).map(read),
      })),
    }));
  await withSpool(async (spool) => {
    const spooled = readConversation('s', await recordsFrom([bytes], spool.keep));
    const whole = readConversation('s', readRecords(bytes).records);
    expect({ ...spooled, turns: [] }).toEqual({ ...whole, turns: [] });
    const read = withoutThinking(spooled.turns, (block) => contentOf(spool, block));
    expect(read).toEqual(withoutThinking(whole.turns, (block) => block));
  });
}

test('large texts, calls, results and images of every kind are read as small ones are', async () => {
  const large = '"é😀'.repeat(30_000);
  const s = session('s');
  s.prompt(large);
  s.reply('m1', large);
  s.reply('m2', { type: 'tool_use', id: 't1', name: 'Write', input: { content: large } });
  s.reply('m2', { type: 'tool_use', id: 't2', name: 'Bash', input: large });
  s.reply('m2', { type: 'tool_use', id: 't3', name: 'Bash', input: [large] });
  s.result('t1', large);
  s.result('t2', [
    { type: 'text', text: large },
    { type: 'image', source: { data: large } },
  ]);
  s.add({ type: 'attachment', attachment: { type: 'queued_command', commandMode: 'prompt', prompt: large } });
  s.add({
    type: 'user',
    message: {
      role: 'user',
      content: [
        { type: 'image', source: { data: large } },
        { type: 'text', text: large },
      ],
    },
  });
  s.reply('m3', large);
  const lines = s.records.map((record) => JSON.stringify(record)).join('\n');
  expect(readConversation('s', s.records).turns.flatMap(({ messages }) => messages)).toHaveLength(7);
  await expectSame(Buffer.from(lines));
});

describe.skipIf(!existsSync(CORPUS))('real transcripts', () => {
  const paths = globSync('**/*.jsonl', { cwd: CORPUS });

  test('are the same conversations', async () => {
    expect(paths.length).toBeGreaterThan(50);
    for (const path of paths) await expectSame(readFileSync(CORPUS + path));
  });
});
