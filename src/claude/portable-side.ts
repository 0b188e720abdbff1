import type { Block } from '../core/conversation.ts';
import { asRecord, asString, readRecords, type TranscriptRecord } from './records.ts';
import type { Relocator } from './relocate.ts';

/** For whom a side file is written. */
export interface SidePlace {
  /** Id of the new session. */
  sessionId: string;
  /** Absolute directory in which it will be resumed. */
  cwd: string;
  paths: Relocator;
}

const DESCRIPTION = ['agentType', 'name', 'description', 'toolUseId', 'spawnDepth', 'model', 'finished'];
const MESSAGE = ['id', 'type', 'role', 'model', 'stop_reason', 'stop_sequence', 'usage'];

/** Whether a side file of this name (in the manifest, or below the session's folder) may come along to another person or place. */
export function isPortableSideFile(path: string): boolean {
  return kindOf(path) !== null;
}

/**
 * A side file as it may go to another person or place: of a subagent's transcript what was said and done, of its description what it was
 * for, of an overflowed result its text. As in a portable session nothing of the author's environment is in it: no system prompts,
 * reminders, request logs, permissions, worktrees. (2.1.329 puts all of them into the transcripts of subagents.)
 *
 * @throws TypeError for a file that is none of these: `isPortableSideFile` tells.
 */
export function portableSideFile(path: string, bytes: Buffer, place: SidePlace): Buffer {
  switch (kindOf(path)) {
    case 'description':
      return Buffer.from(JSON.stringify(pick(readRecord(bytes) ?? {}, DESCRIPTION)));
    case 'subagent':
      return subagent(bytes, place);
    case 'result':
      return overflowed(bytes, place.paths);
    case null:
      throw new TypeError(`${path} is of no kind that comes along`);
  }
}

function kindOf(path: string): 'description' | 'subagent' | 'result' | null {
  if (/(^|\/)agent-[^/]*\.meta\.json$/.test(path)) return 'description';
  if (/(^|\/)agent-[^/]*\.jsonl$/.test(path)) return 'subagent';
  return /(^|\/)tool-results\//.test(path) ? 'result' : null;
}

function readRecord(bytes: Buffer): TranscriptRecord | null {
  try {
    return asRecord(JSON.parse(bytes.toString('utf8')));
  } catch {
    return null; // cut off, or in a form of another version
  }
}

function pick(record: TranscriptRecord, names: readonly string[]): TranscriptRecord {
  return Object.fromEntries(names.filter((name) => record[name] !== undefined).map((name) => [name, record[name]]));
}

/** Binary results (a PDF, an image) stay as they are. */
function overflowed(bytes: Buffer, paths: Relocator): Buffer {
  const text = bytes.toString('utf8');
  const moved = paths.result(text);
  return moved === text || !Buffer.from(text).equals(bytes) ? bytes : Buffer.from(moved);
}

/** Its messages in the order of the file; a parent that is left out is replaced by its own parent. */
function subagent(bytes: Buffer, place: SidePlace): Buffer {
  const parents = new Map<string, string | null>();
  const lines: string[] = [];
  for (const record of readRecords(bytes).records) {
    const uuid = asString(record['uuid']);
    if (uuid === null) continue;
    const above = asString(record['parentUuid']);
    const parentUuid = above !== null && parents.has(above) ? (parents.get(above) as string | null) : above;
    const message = portableMessage(record, place.paths);
    if (message === null) parents.set(uuid, parentUuid);
    else
      lines.push(`${JSON.stringify({ parentUuid, ...fields(record, place), message, uuid, timestamp: record['timestamp'] })}\n`);
  }
  return Buffer.from(lines.join(''));
}

function fields(record: TranscriptRecord, { sessionId, cwd }: SidePlace): object {
  const { type, agentId, version, isMeta } = record;
  return { isSidechain: true, agentId, type, ...(isMeta === true && { isMeta }), userType: 'external', cwd, sessionId, version };
}

/** Null for a record that nobody said, and where nothing is left without thinking. */
function portableMessage(record: TranscriptRecord, paths: Relocator): object | null {
  const message = asRecord(record['message']);
  if (message === null || (record['type'] !== 'user' && record['type'] !== 'assistant')) return null;
  const { content } = message;
  if (!Array.isArray(content))
    return typeof content === 'string' ? { ...pick(message, MESSAGE), content: textIn(content, paths) } : null;
  const kept = (content as Block[])
    .filter((block) => block?.type !== 'thinking' && block?.type !== 'redacted_thinking')
    .map((block) => (asRecord(block) === null ? block : paths.block(block)));
  return kept.length === 0 ? null : { ...pick(message, MESSAGE), content: kept };
}

function textIn(text: string, paths: Relocator): unknown {
  return paths.block({ type: 'text', text })['text'];
}
