import { randomUUID } from 'node:crypto';
import type { Progress } from '../capture/read-file.ts';
import { portableRecords } from '../claude/portable.ts';
import { tailChecksum } from '../claude/reading.ts';
import type { TranscriptRecord } from '../claude/records.ts';
import { EMPTY_TALLY, tallyRecord } from '../claude/tally.ts';
import { createValidator } from '../claude/validate.ts';
import { outputPath, type SessionOutput } from '../claude/write-session.ts';
import { splitBlock } from '../core/block.ts';
import { type Block, type Conversation, countMessages, NO_RESULT } from '../core/conversation.ts';
import type { ManifestSession } from '../core/manifest.ts';
import { mergeConversations, turnsOf } from '../core/merge.ts';
import { UserError } from '../errors.ts';
import { messages } from '../messages.ts';
import type { ContextStore } from '../storage/context-store.ts';
import { conversationOf } from './conversations.ts';
import { fileBytes, transcriptOf } from './sessions.ts';
import { roomFor, type Spool } from './spool.ts';

/** Where and for whom a session is rebuilt. */
export interface Place {
  /** Real directory it will go on in. */
  directory: string;
  /** Salted hash of the account here, null when unknown. */
  account: string | null;
  now: Date;
  title: string;
  /** Where large contents lie while sessions are merged. */
  spool: Spool;
}

/** A session ready to be written. */
export interface Rebuilt {
  session_id: string;
  /** Transcript last. */
  files: SessionOutput[];
  message_count: number;
  /** How far a capture would have read it, when its content is stored already. */
  progress: Progress | null;
  reason: string;
  warnings: string[];
}

/**
 * The session as it was, byte for byte, under a new id: possible when the account and the directory are the same, nothing was redacted,
 * and it does not end in the middle of a turn. (Claude Code goes by the file's name; the old id inside the records does no harm.)
 * @returns null when one of these does not hold.
 * @throws IntegrityError
 */
export async function rebuildExactly(
  session: ManifestSession,
  place: Place,
  store: ContextStore,
  session_id: string,
): Promise<Rebuilt | null> {
  const sameAccount = session.account === null || place.account === null || session.account === place.account;
  if (!sameAccount || session.directory !== place.directory || session.redactions > 0) return null;
  const conversation = await conversationOf(session, store, withoutContent);
  if (conversation.turns.length === 0 || conversation.closed_calls > 0) return null;
  const transcript = await fileBytes(transcriptOf(session), store);
  return {
    session_id,
    files: [...sideFiles([session], store, session_id), { path: `${session_id}.jsonl`, bytes: [transcript] }],
    message_count: countMessages(conversation.turns),
    progress: progressOf(transcript, session),
    reason: messages.exactCopy,
    warnings: [],
  };
}

/**
 * One session that anybody can go on with: the turns of all, in order of time.
 * @throws UserError when there is no message to go on with; IntegrityError.
 */
export async function rebuildPortable(
  sessions: ManifestSession[],
  place: Place,
  store: ContextStore,
  session_id: string,
): Promise<Rebuilt> {
  const conversations: Conversation[] = [];
  for (const session of sessions) conversations.push(await conversationOf(session, store, place.spool.keep));
  const merged = mergeConversations(conversations);
  const turns = turnsOf(merged);
  if (turns.length === 0)
    throw new UserError('The context has no message that a session could go on with.', 'Read it with: cc-show');
  const redactions = sessions.reduce((sum, session) => sum + session.redactions, 0);
  const records = portableRecords(merged, {
    sessionId: session_id,
    cwd: place.directory,
    version: conversations.at(-1)?.agent_version ?? '2.1.0',
    title: place.title,
    now: place.now,
    redacted: redactions > 0,
  });
  const closed = conversations.reduce((sum, { closed_calls }) => sum + closed_calls, 0);
  return {
    session_id,
    files: [
      ...sideFiles(sessions, store, session_id),
      { path: `${session_id}.jsonl`, bytes: transcriptBytes(records, place.spool) },
    ],
    message_count: countMessages(turns),
    progress: null,
    reason: sessions.length > 1 ? messages.merged(sessions.length) : messages.portable,
    warnings: [...(closed > 0 ? [messages.closedCalls(closed)] : []), ...(redactions > 0 ? [messages.redacted(redactions)] : [])],
  };
}

/**
 * The lines of a transcript, each checked. What is given holds only until the next is asked for.
 * @throws at its end when it is not sound: what was written of it must not be used.
 */
function* transcriptBytes(records: Iterable<TranscriptRecord>, spool: Spool): Generator<Buffer> {
  const validator = createValidator();
  let batch = Buffer.allocUnsafe(2 * BATCH);
  let end = 0;
  for (const record of records) {
    validator.check(record);
    const line = lineOf(record);
    const room = line.reduce((sum, part) => sum + (typeof part === 'string' ? 3 * part.length : roomFor(part)), 0);
    if (end + room > batch.length) {
      yield batch.subarray(0, end);
      end = 0;
      if (room > batch.length) batch = Buffer.allocUnsafe(room);
    }
    for (const part of line) end = typeof part === 'string' ? end + batch.write(part, end) : spool.write(part, batch, end);
  }
  yield batch.subarray(0, end);
  const [problem] = validator.problems();
  if (problem !== undefined) throw new Error(`the merged session is not valid: ${problem}`);
}

/** Bytes that are written at once. */
const BATCH = 1024 * 1024;
/** Stands for the content of a message in its record; nobody else can have written it. */
const CONTENT = randomUUID();

/** The line of a record: JSON text, and the blocks of its message in between. */
function lineOf(record: TranscriptRecord): (string | Block)[] {
  const message = record['message'] as { content: unknown } | undefined;
  const blocks = message?.content;
  if (!Array.isArray(blocks)) return [`${JSON.stringify(record)}\n`];
  const [before, after] = JSON.stringify({ ...record, message: { ...message, content: CONTENT } }).split(`"${CONTENT}"`);
  const inList = (blocks as Block[]).flatMap((block, at) => (at === 0 ? [block] : [',', block]));
  return [`${before}[`, ...inList, `]${after}\n`];
}

/** Subagents and overflowed tool results; of a file that several sessions have, the first is taken. */
function sideFiles(sessions: ManifestSession[], store: ContextStore, sessionId: string): SessionOutput[] {
  const files = new Map<string, SessionOutput>();
  for (const file of sessions.flatMap((session) => session.files)) {
    const path = outputPath(file.path, sessionId);
    if (file.path === 'transcript.jsonl' || files.has(path)) continue;
    files.set(path, { path, bytes: store.readFile(file) });
  }
  return [...files.values()];
}

/** For counting: a block without its content, of which a transcript may have hundreds of MB. */
function withoutContent(block: Block): Block {
  return block.type === 'text' || block['content'] === NO_RESULT ? block : splitBlock(block).head;
}

/** Null for a transcript whose last line is unfinished: the next capture reads it from the start. */
function progressOf(transcript: Buffer, session: ManifestSession): Progress | null {
  if (transcript.at(-1) !== NEWLINE) return null;
  const tally = structuredClone(EMPTY_TALLY);
  for (let start = 0; start < transcript.length; ) {
    const end = transcript.indexOf(NEWLINE, start) + 1;
    tallyRecord(tally, transcript.subarray(start, end));
    start = end;
  }
  const { chunks, size } = transcriptOf(session);
  return { offset: size, tail: tailChecksum(transcript), chunks, size, redactions: session.redactions, tally };
}

const NEWLINE = 10;
