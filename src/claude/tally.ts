/**
 * Counts what a transcript holds, record by record, so that a capture that reads only what is new can go on where the last one
 * stopped. A message is a main-chain user or assistant message as the model sees it: the lines of one reply (`message.id`) count once,
 * so do the results of its parallel calls; `isMeta`, sidechain and API-error records, and the
 * notices that a restore put in, do not count.
 */
export interface Tally {
  message_count: number;
  /** Identities of the latest replies: also when a commit falls between the lines of one. */
  recent_replies: string[];
  /** True when the last message counted was one of tool results. */
  in_results: boolean;
  /** Absolute directory of the last record that names one. */
  directory: string | null;
  agent_version: string | null;
  started_at: string | null;
  ended_at: string | null;
}

/** The lines of one reply stand close together, also with the results of parallel calls between them. */
const RECENT = 32;
/** The tally goes into a file that Git tracks: of a transcript's text only what can be nothing else than a version or a time gets there. */
const VERSION = /^\d{1,5}\.\d{1,5}\.\d{1,5}(-[a-z]{1,10}(\.\d{1,10})?)?$/;
const TIME = /^\d{4}-\d\d-\d\dT[\d:.]{5,18}(Z|[+-]\d\d:\d\d)$/;

export const EMPTY_TALLY: Tally = {
  message_count: 0,
  recent_replies: [],
  in_results: false,
  directory: null,
  agent_version: null,
  started_at: null,
  ended_at: null,
};

/**
 * Adds a record to the tally.
 * @returns false when the line is no JSON object.
 */
export function tallyRecord(tally: Tally, record: Buffer): boolean {
  let parsed: unknown;
  try {
    // Read as Latin-1 a record parses in two thirds of the time, and what counts here is ASCII but for the directory.
    parsed = JSON.parse(record.toString('latin1'));
  } catch {
    return false;
  }
  if (typeof parsed !== 'object' || parsed === null || Array.isArray(parsed)) return false;
  const { type, message, isMeta, isSidechain, isApiErrorMessage, ccContext, cwd, version, timestamp } = parsed as Record<
    string,
    unknown
  >;
  if (typeof cwd === 'string')
    tally.directory = Buffer.byteLength(cwd) === cwd.length ? cwd : (JSON.parse(record.toString('utf8')) as { cwd: string }).cwd;
  if (typeof version === 'string' && VERSION.test(version)) tally.agent_version = version;
  if (typeof timestamp === 'string' && TIME.test(timestamp) && !Number.isNaN(Date.parse(timestamp))) {
    tally.started_at ??= timestamp;
    tally.ended_at = timestamp;
  }
  if (isMeta === true || isSidechain === true || isApiErrorMessage === true || ccContext === 'notice') return true;
  if (typeof message !== 'object' || message === null) return true;
  if (type === 'user') countUser(tally, (message as { content?: unknown }).content);
  if (type === 'assistant') countReply(tally, message as { id?: unknown; model?: unknown });
  return true;
}

function countUser(tally: Tally, content: unknown): void {
  const results = Array.isArray(content) && content.length > 0 && content.every((block) => block?.type === 'tool_result');
  if (!(results && tally.in_results)) tally.message_count += 1;
  tally.in_results = results;
}

function countReply(tally: Tally, { id, model }: { id?: unknown; model?: unknown }): void {
  if (model === '<synthetic>') return; // written by Claude Code itself in place of a reply
  if (typeof id === 'string') {
    if (tally.recent_replies.includes(id)) return;
    tally.recent_replies.push(id);
    if (tally.recent_replies.length > RECENT) tally.recent_replies.shift();
  }
  tally.message_count += 1;
  tally.in_results = false;
}
