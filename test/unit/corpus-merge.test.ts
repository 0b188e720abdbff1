import { existsSync, globSync, readFileSync } from 'node:fs';
import { basename } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import { readConversation } from '../../src/claude/conversation.ts';
import { liveBranch } from '../../src/claude/live-branch.ts';
import type { TranscriptRecord } from '../../src/claude/records.ts';
import { readRecords } from '../../src/claude/records.ts';
import type { Block, Conversation } from '../../src/core/conversation.ts';
import { holdsResults, NO_RESULT } from '../../src/core/conversation.ts';
import { mergeConversations, turnsOf } from '../../src/core/merge.ts';
import { validateTranscript, writePortable } from '../helpers/portable.ts';

// Real transcripts, which may not be copied into the project.
const CORPUS = fileURLToPath(new URL('../../../shared/transcripts/', import.meta.url));
const NOW = new Date('2027-01-01T00:00:00.000Z');

describe.skipIf(!existsSync(CORPUS))('real transcripts', () => {
  const sessions = globSync('**/*.jsonl', { cwd: CORPUS })
    .sort()
    .map((path) => {
      const { records } = readRecords(readFileSync(CORPUS + path));
      return { path, records, conversation: readConversation(basename(path, '.jsonl'), records) };
    });
  const spoken = sessions.filter(({ conversation }) => conversation.turns.length > 0);

  test('there are enough of them', () => {
    expect(spoken.length).toBeGreaterThan(50);
  });

  test.each(spoken)('$path alone', ({ records, conversation }) => {
    expect(written([conversation]).filter((content) => content !== NO_RESULT)).toEqual(liveResults(records));
  });

  test('every one with two others, their clocks shifted so that they overlap', () => {
    for (const [index, { conversation }] of spoken.entries()) {
      const others = [7, 19].map((step) => spoken[(index + step) % spoken.length]?.conversation as Conversation);
      const all = [conversation, ...others.map((other) => startingAt(other, conversation.turns[0]?.at as string))];
      const merged = mergeConversations(all);
      for (const { session_id, turns } of all) {
        if (merged.duplicates === 0) expect(turnsOf(merged).filter((turn) => turn.session_id === session_id)).toEqual(turns);
      }
      const times = turnsOf(merged).map((turn) => Date.parse(turn.at));
      const rising = all.every(({ turns }) => turns.every((turn, at) => at === 0 || turn.at >= (turns[at - 1]?.at as string)));
      if (rising) expect(times).toEqual(times.toSorted((a, b) => a - b));
      written(all);
    }
  });

  test('a session and its later captures are one conversation', () => {
    const captures = spoken.filter(({ path }) => path.includes('growing/'));
    expect(captures.length).toBeGreaterThan(2);
    const conversations = captures.map(({ conversation }) => conversation);
    const last = conversations.at(-1) as Conversation;
    expect(turnsOf(mergeConversations(conversations)).map((turn) => turn.messages)).toEqual(
      last.turns.map((turn) => turn.messages),
    );
  });
});

/** The results in a portable transcript of these conversations, which must be sound. */
function written(conversations: Conversation[]): unknown[] {
  const merged = mergeConversations(conversations);
  const { lines } = writePortable(merged, { sessionId: 'new', cwd: '/there', version: '2.1.329', title: 'all', now: NOW });
  expect(validateTranscript(lines, NOW.getTime())).toEqual([]);
  const results = lines.flatMap((line) => resultsOf(JSON.parse(line)));
  const wanted = turnsOf(merged).flatMap((turn) => turn.messages.filter(holdsResults).flatMap(({ content }) => content));
  expect(results).toEqual(wanted.filter((block) => block.type === 'tool_result').map((block) => block['content']));
  return results;
}

/** The results of the calls on the live branch, found without the code under test: by the id of the call, anywhere in the file. */
function liveResults(records: TranscriptRecord[]): unknown[] {
  const contents = new Map<unknown, unknown>();
  for (const record of records.filter((one) => one['isSidechain'] !== true)) {
    for (const block of blocksOf(record)) if (block.type === 'tool_result') contents.set(block['tool_use_id'], block['content']);
  }
  const replies = new Set(liveBranch(records).map(({ record }) => (record['message'] as { id?: string } | undefined)?.id));
  const live = records.filter(
    (record) => record['type'] === 'assistant' && replies.has((record['message'] as { id?: string }).id),
  );
  const calls = live.flatMap(blocksOf).filter((block) => block.type === 'tool_use');
  return calls.filter((call) => contents.has(call['id'])).map((call) => contents.get(call['id']));
}

function resultsOf(record: TranscriptRecord): unknown[] {
  return blocksOf(record)
    .filter((block) => block.type === 'tool_result')
    .map((block) => block['content']);
}

function blocksOf(record: TranscriptRecord): Block[] {
  const content = (record['message'] as { content?: unknown } | undefined)?.content;
  return Array.isArray(content) ? content : [];
}

function startingAt(conversation: Conversation, start: string): Conversation {
  const shift = Date.parse(start) - Date.parse(conversation.turns[0]?.at as string) + 500;
  const moved = (at: string): string => new Date(Date.parse(at) + shift).toISOString();
  const turns = conversation.turns.map((turn) => ({
    ...turn,
    at: moved(turn.at),
    messages: turn.messages.map((message) => ({ ...message, at: moved(message.at) })),
  }));
  return { ...conversation, turns };
}
