import { liveBranch } from '../../src/claude/live-branch.ts';
import type { TranscriptRecord } from '../../src/claude/records.ts';

/** A prompt of the live branch. */
export interface LivePrompt {
  /** The record's uuid: a copy of it in another session is the same prompt. */
  uuid: string;
  /** What was typed, as the model gets it; none for an image alone. */
  texts: string[];
  /** Milliseconds since 1970; never earlier than the prompt before it. */
  time: number;
}

/** The result of a tool call of the live branch. */
export interface LiveResult {
  /** Id of the call. */
  call: string;
  content: unknown;
}

type Block = { type: string; [field: string]: unknown };

/** What Claude Code writes in the person's name: an interruption, the output of a command. */
const NOT_TYPED = /^(\[Request interrupted by user|<(local-command|bash)-std(out|err)>)/;

/**
 * The prompts on the live branch, found without the code that splits it into turns: user records that are no results and not the
 * client's own, and what was typed while the agent worked (`queued_command`). A slash command that 2.1 keeps in a `system` record
 * is no prompt of its own, but one of the texts of the next.
 */
export function livePrompts(records: TranscriptRecord[]): LivePrompt[] {
  const prompts: LivePrompt[] = [];
  const commands: string[] = [];
  for (const { uuid, record } of liveBranch(records)) {
    const command = slashCommand(record);
    if (command !== null) commands.push(command);
    const blocks = promptBlocks(record);
    const texts = blocks.filter(({ type }) => type === 'text').map((block) => String(block['text']));
    if (blocks.length === 0 || NOT_TYPED.test(texts[0] ?? '')) continue;
    const time = Math.max(prompts.at(-1)?.time ?? Number.NEGATIVE_INFINITY, Date.parse(String(record['timestamp'])));
    prompts.push({ uuid, texts: [...commands.splice(0), ...texts.filter((text) => text.trim() !== '')], time });
  }
  return prompts;
}

/** The results of the calls on the live branch, found without the code that joins records: by the id of the call, anywhere in the file. */
export function liveResults(records: TranscriptRecord[]): LiveResult[] {
  const main = records.filter((record) => record['isSidechain'] !== true);
  const results = main.flatMap(messageBlocks).filter(({ type }) => type === 'tool_result');
  const contents = new Map(results.map((block) => [block['tool_use_id'], block['content']]));
  const replies = new Set(liveBranch(records).map(({ record }) => replyId(record)));
  const live = main.filter((record) => record['type'] === 'assistant' && replies.has(replyId(record)));
  const calls = live.flatMap(messageBlocks).filter(({ type, id }) => type === 'tool_use' && contents.has(id));
  return [...new Set(calls.map(({ id }) => String(id)))].map((call) => ({ call, content: contents.get(call) }));
}

/** The latest time on the live branch, in milliseconds since 1970. */
export function liveTime(records: TranscriptRecord[]): number {
  const times = liveBranch(records).map(({ record }) => Date.parse(String(record['timestamp'])));
  return times.filter((time) => !Number.isNaN(time)).reduce((a, b) => Math.max(a, b));
}

function slashCommand({ type, subtype, content }: TranscriptRecord): string | null {
  const local = type === 'system' && subtype === 'local_command' && typeof content === 'string';
  return local && content.startsWith('<command-name>') ? content : null;
}

/** Empty for a record that is no prompt. */
function promptBlocks(record: TranscriptRecord): Block[] {
  if (record['isMeta'] === true) return [];
  const blocks = record['type'] === 'user' ? messageBlocks(record) : queuedBlocks(record);
  return blocks.some(({ type }) => type === 'tool_result') ? [] : blocks;
}

function queuedBlocks(record: TranscriptRecord): Block[] {
  const attachment = record['type'] === 'attachment' ? (record['attachment'] as TranscriptRecord | undefined) : undefined;
  const typed = attachment?.['type'] === 'queued_command' && attachment['commandMode'] === 'prompt' && !attachment['isMeta'];
  return typed ? asBlocks(attachment['prompt']) : [];
}

function messageBlocks(record: TranscriptRecord): Block[] {
  return asBlocks((record['message'] as { content?: unknown } | undefined)?.content);
}

function asBlocks(content: unknown): Block[] {
  if (typeof content === 'string') return content === '' ? [] : [{ type: 'text', text: content }];
  return Array.isArray(content) ? content : [];
}

function replyId(record: TranscriptRecord): unknown {
  return (record['message'] as { id?: unknown } | undefined)?.id ?? record['uuid'];
}
