import type { Block, Message } from '../core/conversation.ts';
import { NO_RESULT } from '../core/conversation.ts';
import type { ChainRecord } from './live-branch.ts';
import type { TranscriptRecord } from './records.ts';
import { asRecord, asString } from './records.ts';

/** A message and the record it begins with. */
export interface JoinedMessage {
  message: Message;
  origin: TranscriptRecord;
}

interface Result {
  block: Block;
  entry: ChainRecord;
}

/**
 * Makes messages of the records of a path through a transcript, in the path's order.
 *
 * Claude Code writes one reply of the API as several records with the same `message.id`, and with parallel calls the path goes
 * through only some of them: the others, and the results of their calls, hang beside it. So a reply takes all its records, and
 * all its results, from wherever they stand in `chain`, and the results follow the reply in the order of its calls. A result
 * whose call is not on the path is left out: nothing could be done with it.
 *
 * `close`: calls without a result get one that says so; else they stay open.
 */
export function joinMessages(path: ChainRecord[], chain: ChainRecord[], { close }: { close: boolean }): JoinedMessage[] {
  const replies = linesByReply(chain);
  const results = resultsByCall(path, chain);
  const absorbed = new Set<ChainRecord>();
  const joined: JoinedMessage[] = [];
  for (const entry of path) {
    if (isReply(entry)) {
      const lines = replies.get(replyKey(entry));
      if (lines === undefined) continue; // an earlier record of the same reply has taken them
      replies.delete(replyKey(entry));
      const reply = toReply(lines);
      if (reply.content.length === 0) continue;
      joined.push({ message: reply, origin: entry.record });
      const answer = toAnswer(reply, results, absorbed, close);
      if (answer !== null) joined.push(answer);
    } else {
      const content = absorbed.has(entry) ? [] : userBlocks(entry).filter((block) => block.type !== 'tool_result');
      if (content.length > 0) joined.push({ message: toUser(entry, content), origin: entry.record });
    }
  }
  return joined;
}

function isReply({ record }: ChainRecord): boolean {
  // Claude Code writes an error of the API as a reply, with the model <synthetic>; it is never sent again.
  const failed = record['isApiErrorMessage'] === true || asRecord(record['message'])?.['model'] === '<synthetic>';
  return record['type'] === 'assistant' && asRecord(record['message']) !== null && !failed;
}

function replyKey({ uuid, record }: ChainRecord): string {
  return asString(asRecord(record['message'])?.['id']) ?? uuid;
}

function linesByReply(chain: ChainRecord[]): Map<string, ChainRecord[]> {
  const replies = new Map<string, ChainRecord[]>();
  for (const entry of chain.filter(isReply)) {
    const lines = replies.get(replyKey(entry));
    if (lines === undefined) replies.set(replyKey(entry), [entry]);
    else lines.push(entry);
  }
  return replies;
}

function toReply(lines: ChainRecord[]): Message {
  const [first, last] = [lines[0] as ChainRecord, lines.at(-1) as ChainRecord];
  const blocks = new Map<string, Block>();
  for (const block of lines.flatMap(({ record }) => blocksOf(asRecord(record['message'])?.['content']))) {
    if (block.type === 'tool_result' || (block.type === 'tool_use' && typeof block['name'] !== 'string')) continue;
    const key = block.type === 'tool_use' ? `call ${block['id']}` : JSON.stringify(block);
    if (!blocks.has(key)) blocks.set(key, block.type === 'tool_use' && block.spooled === undefined ? withInput(block) : block);
  }
  const message = asRecord(last.record['message']);
  return {
    role: 'assistant',
    content: [...blocks.values()],
    at: timeOf(first.record),
    id: asString(first.record['originalUuid']) ?? replyKey(first),
    meta: false,
    model: asString(message?.['model']),
    usage: asRecord(last.record['originalUsage'] ?? message?.['usage']),
    summary: false,
  };
}

/** The API takes no call without an object as its input. */
function withInput(call: Block): Block {
  return { ...call, input: asRecord(call['input']) ?? {} };
}

function toAnswer(
  reply: Message,
  results: Map<string, Result[]>,
  absorbed: Set<ChainRecord>,
  close: boolean,
): JoinedMessage | null {
  const found: Result[] = [];
  const content: Block[] = [];
  for (const { id } of reply.content.filter((block) => block.type === 'tool_use') as (Block & { id: string })[]) {
    const result = results.get(id)?.shift();
    if (result !== undefined) {
      found.push(result);
      content.push(result.block);
    } else if (close) {
      content.push({ type: 'tool_result', tool_use_id: id, content: NO_RESULT, is_error: true });
    }
  }
  if (content.length === 0) return null;
  const entries = new Set(found.map(({ entry }) => entry).filter((entry) => !absorbed.has(entry)));
  for (const entry of entries) {
    content.push(...userBlocks(entry).filter((block) => block.type !== 'tool_result'));
    absorbed.add(entry);
  }
  const first = found[0]?.entry;
  if (first !== undefined) return { message: toUser(first, content), origin: first.record };
  const made = { ...reply, role: 'user' as const, content, id: `no-result-${reply.id}`, model: null, usage: null };
  return { message: made, origin: {} };
}

/** The results of each call: first those on the path, in its order, then those beside it; a result that was copied counts once. */
function resultsByCall(path: ChainRecord[], chain: ChainRecord[]): Map<string, Result[]> {
  const results = new Map<string, Result[]>();
  for (const entry of new Set([...path, ...chain])) {
    for (const block of userBlocks(entry)) {
      if (block.type !== 'tool_result') continue;
      const id = block['tool_use_id'] as string;
      const known = results.get(id);
      if (known === undefined) results.set(id, [{ block, entry }]);
      else known.push({ block, entry });
    }
  }
  return results;
}

function toUser({ uuid, record }: ChainRecord, content: Block[]): Message {
  return {
    role: 'user',
    content,
    at: timeOf(record),
    id: asString(record['originalUuid']) ?? uuid,
    meta: record['isMeta'] === true || record['type'] === 'system' || asRecord(record['attachment'])?.['isMeta'] === true,
    model: null,
    usage: null,
    summary: record['isCompactSummary'] === true,
  };
}

/**
 * The blocks of what the model reads as the user's: a `user` record, the output of a slash command (`system`, sent by 2.1.329), or
 * a prompt that was typed while the agent worked (an `attachment` since 2.1).
 */
function userBlocks({ record }: ChainRecord): Block[] {
  if (record['ccContext'] === 'notice') return []; // a line of ours, written anew with every restore
  if (record['type'] === 'user') return blocksOf(asRecord(record['message'])?.['content']);
  if (record['type'] === 'system') return record['subtype'] === 'local_command' ? blocksOf(record['content']) : [];
  const attachment = record['type'] === 'attachment' ? asRecord(record['attachment']) : null;
  return attachment?.['type'] === 'queued_command' && attachment['commandMode'] === 'prompt'
    ? blocksOf(attachment['prompt'])
    : [];
}

function blocksOf(content: unknown): Block[] {
  if (typeof content === 'string') return content === '' ? [] : [{ type: 'text', text: content }];
  return Array.isArray(content) ? content.filter(isBlock) : [];
}

function isBlock(value: unknown): value is Block {
  const block = asRecord(value);
  if (typeof block?.['type'] !== 'string') return false;
  if (block['type'] === 'text') return typeof block['text'] === 'string' || block['spooled'] !== undefined;
  if (block['type'] === 'tool_use') return typeof block['id'] === 'string';
  return block['type'] !== 'tool_result' || typeof block['tool_use_id'] === 'string';
}

function timeOf(record: TranscriptRecord): string {
  return asString(record['originalTimestamp']) ?? asString(record['timestamp']) ?? '';
}
