import { randomUUID } from 'node:crypto';
import { OMISSION } from '../core/budget.ts';
import { carriedBlocks } from '../core/carried.ts';
import type { Block, Message } from '../core/conversation.ts';
import { textOf } from '../core/conversation.ts';
import type { MergedConversation } from '../core/merge.ts';
import { increasingTimes } from '../core/timestamps.ts';
import type { TranscriptRecord } from './records.ts';

/** What a portable transcript is made for. */
export interface PortableOptions {
  /** Id of the new session: its file's name. */
  sessionId: string;
  /** Absolute directory in which it will be resumed. */
  cwd: string;
  /** Version of Claude Code that the records name. */
  version: string;
  gitBranch?: string;
  /** Shown in the list of sessions. */
  title: string;
  /** No record is later than this. */
  now: Date;
  /** True when secrets were masked: the model is told what the masks are. */
  redacted?: boolean;
  /** True when older turns were left out: the person and the model are told. */
  omitted?: boolean;
  newUuid?: () => string;
}

/** A message to be written, from which session it is, or a line of ours that the person and the model see. */
type Entry = { message: Message; session_id: string } | { notice: string };

const MASKS_EXPLAINED =
  '[REDACTED:<rule>] in this conversation stands for a value that was removed when it was captured; it is not the value.';
/** What the API accepts as the id of a tool call. */
const TOOL_ID = /^[a-zA-Z0-9_-]{1,64}$/;
/** Tokens of a reply, as Claude Code itself writes them for replies it moved: the real ones are those of another context. */
const NO_USAGE = { input_tokens: 0, output_tokens: 0, cache_creation_input_tokens: 0, cache_read_input_tokens: 0 };

/**
 * Writes a merged conversation as a transcript that `claude --resume` continues anywhere and under any account: one linear chain
 * of new records with nothing in them but what was said and done. Thinking is left out (its signatures hold only for the account
 * and the conversation they were made in), and what belongs to the author's environment is not in the neutral form to begin with.
 *
 * Each record keeps where it came from: `originalTimestamp`, `originalSessionId`, `originalUuid`, `originalUsage`.
 *
 * @returns the records of the file in order; none when nothing was said.
 */
export function* portableRecords(merged: MergedConversation, options: PortableOptions): Generator<TranscriptRecord> {
  const newUuid = options.newUuid ?? randomUUID;
  const entries = entriesOf(merged, options);
  const wanted = entries.map((entry) => ('message' in entry ? Date.parse(entry.message.at) : Number.NaN));
  const times = increasingTimes(wanted, options.now.getTime());
  const rename = toolIdRenamer(newUuid);
  const { sessionId, title: customTitle } = options;
  let parentUuid: string | null = null;
  for (const [index, entry] of entries.entries()) {
    const uuid = newUuid();
    yield {
      parentUuid,
      isSidechain: false,
      userType: 'external',
      cwd: options.cwd,
      sessionId,
      version: options.version,
      gitBranch: options.gitBranch ?? '',
      ...('message' in entry ? messageFields(entry.message, rename, newUuid) : noticeFields(entry.notice)),
      uuid,
      timestamp: new Date(times[index] as number).toISOString(),
      ...('message' in entry ? { originalSessionId: entry.session_id } : {}),
    };
    parentUuid = uuid;
  }
  if (parentUuid === null) return;
  yield { type: 'custom-title', customTitle, sessionId };
  yield { type: 'last-prompt', lastPrompt: lastPrompt(entries), leafUuid: parentUuid, sessionId };
}

/** The line that shows where another session begins. */
export function sessionMarker(sessionId: string): string {
  return `--- USER STARTED NEW SESSION (${sessionId}) ---`;
}

function entriesOf({ items }: MergedConversation, { redacted, omitted }: PortableOptions): Entry[] {
  const entries: Entry[] = [];
  for (const item of items) {
    if (item.kind === 'marker') {
      entries.push({ notice: sessionMarker(item.session_id) });
      continue;
    }
    const { messages, session_id } = item.turn;
    for (const message of messages) {
      const content = carriedBlocks(message);
      if (content.length > 0) entries.push({ message: { ...message, content }, session_id });
    }
  }
  const first = [...(redacted ? [MASKS_EXPLAINED] : []), ...(omitted ? [OMISSION] : [])];
  return entries.length === 0 ? [] : [...first.map((notice) => ({ notice })), ...entries];
}

function messageFields(message: Message, rename: (block: Block) => Block, newUuid: () => string): object {
  const content = message.content.map(rename);
  const origin = { originalTimestamp: message.at, originalUuid: message.id };
  if (message.role === 'user') {
    const [only] = content;
    const text = content.length === 1 && typeof only?.['text'] === 'string' ? only['text'] : content;
    return {
      type: 'user',
      message: { role: 'user', content: text },
      ...(message.meta && { isMeta: true }),
      ...(message.summary && { isCompactSummary: true, isVisibleInTranscriptOnly: true }),
      ...origin,
    };
  }
  const id = `msg_${newUuid().replaceAll('-', '')}`;
  const stop_reason = content.some((block) => block.type === 'tool_use') ? 'tool_use' : 'end_turn';
  const model = message.model ?? 'unknown';
  return {
    type: 'assistant',
    message: { id, type: 'message', role: 'assistant', model, content, stop_reason, stop_sequence: null, usage: NO_USAGE },
    ...(message.usage !== null && { originalUsage: message.usage }),
    ...origin,
  };
}

/**
 * The form that older versions gave to the output of a command: every version that was measured (2.0.76, 2.1.329) shows it in the
 * TUI and sends it to the model. A `system` record is not sent by 2.0.76, an `isMeta` one is not shown. `ccContext` tells us, when
 * the session is captured again, that nobody said it.
 */
function noticeFields(text: string): object {
  const content = `<local-command-stdout>${text}</local-command-stdout>`;
  return { type: 'user', message: { role: 'user', content }, ccContext: 'notice' };
}

/**
 * Makes the ids of tool calls unique in the file, the results following their calls: the same id can come twice where sessions
 * were copied, and the API refuses a request with two.
 */
function toolIdRenamer(newUuid: () => string): (block: Block) => Block {
  const used = new Set<string>();
  const renamed = new Map<string, string>();
  return (block) => {
    if (block.type === 'tool_use') {
      const id = String(block['id']);
      const unique = TOOL_ID.test(id) && !used.has(id) ? id : `toolu_${newUuid().replaceAll('-', '')}`;
      used.add(unique);
      renamed.set(id, unique);
      return unique === id ? block : { ...block, id: unique };
    }
    if (block.type !== 'tool_result') return block;
    const id = renamed.get(String(block['tool_use_id']));
    return id === undefined || id === block['tool_use_id'] ? block : { ...block, tool_use_id: id };
  };
}

function lastPrompt(entries: Entry[]): string {
  const prompts = entries.flatMap((entry) =>
    'message' in entry && entry.message.role === 'user' && !entry.message.meta ? [textOf(entry.message)] : [],
  );
  return prompts.findLast((prompt) => prompt !== '')?.slice(0, 200) ?? '';
}
