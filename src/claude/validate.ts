import type { TranscriptRecord } from './records.ts';
import { asRecord, asString } from './records.ts';

/** What has been seen of a transcript so far. */
interface Progress {
  uuids: Set<string>;
  previous: string | null;
  time: number;
  sessionId: unknown;
  toolIds: Set<string>;
  messageIds: Set<string>;
  /** Calls of the last reply that wait for their results. */
  open: string[];
  messages: number;
}

/**
 * Checks a transcript of the portable form, record by record, against what `claude --resume` and the Messages API need: nothing that a
 * client would refuse, cut short or replace. The content of a block may lie elsewhere (`spooled`).
 */
export interface Validator {
  check(record: TranscriptRecord): void;
  /** One sentence for each problem, none when the transcript is sound. */
  problems(): string[];
}

/** @param now milliseconds since 1970: no record may be later. */
export function createValidator(now: number = Date.now()): Validator {
  const problems: string[] = [];
  let line = 0;
  const seen: Progress = {
    uuids: new Set(),
    previous: null,
    time: Number.NEGATIVE_INFINITY,
    sessionId: undefined,
    toolIds: new Set(),
    messageIds: new Set(),
    open: [],
    messages: 0,
  };
  return {
    check(record) {
      line += 1;
      for (const problem of checkRecord(record, seen, now)) problems.push(`line ${line} ${problem}`);
    },
    problems: () => [
      ...problems,
      ...seen.open.map((id) => `the tool call ${id} has no result`),
      ...(seen.messages === 0 ? ['there is no message'] : []),
    ],
  };
}

function checkRecord(record: TranscriptRecord, seen: Progress, now: number): string[] {
  const problems: string[] = [];
  seen.sessionId ??= record['sessionId'];
  if (record['sessionId'] !== seen.sessionId) problems.push('has another sessionId');
  const type = record['type'];
  if (type === 'last-prompt' && record['leafUuid'] !== seen.previous) problems.push('names a leaf that is not the last message');
  if (type !== 'user' && type !== 'assistant' && type !== 'system') return problems;
  problems.push(...checkChain(record, seen), ...checkTime(record, seen, now));
  if (type !== 'system') problems.push(...checkMessage(record, type, seen));
  return problems;
}

function checkChain(record: TranscriptRecord, seen: Progress): string[] {
  const uuid = asString(record['uuid']);
  if (uuid === null) return ['has no uuid'];
  const problems = [];
  if (seen.uuids.has(uuid)) problems.push(`repeats the uuid ${uuid}`);
  if (record['parentUuid'] !== seen.previous) problems.push('does not follow the record before it');
  seen.uuids.add(uuid);
  seen.previous = uuid;
  return problems;
}

function checkTime({ timestamp }: TranscriptRecord, seen: Progress, now: number): string[] {
  const time = typeof timestamp === 'string' ? Date.parse(timestamp) : Number.NaN;
  if (Number.isNaN(time)) return ['has no valid timestamp'];
  const problems = [];
  if (time <= seen.time) problems.push('is not later than the record before it');
  if (time > now) problems.push('is in the future');
  seen.time = time;
  return problems;
}

function checkMessage(record: TranscriptRecord, type: 'user' | 'assistant', seen: Progress): string[] {
  const message = asRecord(record['message']);
  const content = message?.['content'];
  if (message === null || (type === 'assistant' && !Array.isArray(content))) return ['has no message content that is a list'];
  const blocks = (typeof content === 'string' ? [{ type: 'text', text: content }] : Array.isArray(content) ? content : []).map(
    asRecord,
  );
  const problems = [];
  if (message['role'] !== type) problems.push(`has the role ${String(message['role'])}`);
  if (blocks.length === 0) problems.push('has no content');
  if (seen.messages === 0 && type !== 'user') problems.push('begins the conversation with a reply');
  if (blocks.some((block) => block?.['type'] === 'text' && typeof block['text'] === 'string' && block['text'].trim() === ''))
    problems.push('has an empty text');
  if (type === 'assistant') problems.push(...checkReplyId(message, seen));
  seen.messages += 1;
  return [...problems, ...checkPairs(blocks, type, seen)];
}

function checkReplyId(message: TranscriptRecord, seen: Progress): string[] {
  const id = asString(message['id']);
  if (id === null || seen.messageIds.has(id)) return ['has no message.id of its own'];
  seen.messageIds.add(id);
  return [];
}

function checkPairs(blocks: (TranscriptRecord | null)[], type: 'user' | 'assistant', seen: Progress): string[] {
  const problems: string[] = [];
  const types = blocks.map((block) => block?.['type']);
  const results = blocks.filter((block) => block?.['type'] === 'tool_result').map((block) => String(block?.['tool_use_id']));
  const calls = blocks.filter((block) => block?.['type'] === 'tool_use').map((block) => String(block?.['id']));
  if (results.join() !== seen.open.join()) problems.push(`answers [${results.join()}], not [${seen.open.join()}]`);
  if (types.slice(results.length).includes('tool_result')) problems.push('has a tool result after other content');
  if (type === 'user' && calls.length > 0) problems.push('has a tool call in a message of the user');
  if (type === 'assistant' && results.length > 0) problems.push('has a tool result in a reply');
  for (const id of calls) {
    if (seen.toolIds.has(id)) problems.push(`repeats the tool call ${id}`);
    seen.toolIds.add(id);
  }
  seen.open = calls;
  return problems;
}
