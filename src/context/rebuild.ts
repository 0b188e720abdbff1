import type { Progress } from '../capture/read-file.ts';
import { writePortable } from '../claude/portable.ts';
import { tailChecksum } from '../claude/reading.ts';
import { EMPTY_TALLY, tallyRecord } from '../claude/tally.ts';
import { validateTranscript } from '../claude/validate.ts';
import { outputPath, type SessionOutput } from '../claude/write-session.ts';
import { type Conversation, countMessages } from '../core/conversation.ts';
import type { ManifestSession } from '../core/manifest.ts';
import { mergeConversations, turnsOf } from '../core/merge.ts';
import { UserError } from '../errors.ts';
import { messages } from '../messages.ts';
import type { ContextStore } from '../storage/context-store.ts';
import { conversationOf } from './conversations.ts';
import { fileBytes, transcriptOf } from './sessions.ts';

/** Where and for whom a session is rebuilt. */
export interface Place {
  /** Real directory it will go on in. */
  directory: string;
  /** Salted hash of the account here, null when unknown. */
  account: string | null;
  now: Date;
  title: string;
}

/** A session ready to be written. */
export interface Rebuilt {
  session_id: string;
  /** Transcript last. */
  files: SessionOutput[];
  message_count: number;
  /** Bytes of the transcript. */
  size: number;
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
  const conversation = await conversationOf(session, store);
  if (conversation.turns.length === 0 || conversation.closed_calls > 0) return null;
  const transcript = await fileBytes(transcriptOf(session), store);
  return {
    session_id,
    files: [...(await sideFiles([session], store, session_id)), { path: `${session_id}.jsonl`, bytes: [transcript] }],
    message_count: countMessages(conversation.turns),
    size: transcript.length,
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
  for (const session of sessions) conversations.push(await conversationOf(session, store));
  const merged = mergeConversations(conversations);
  const turns = turnsOf(merged);
  if (turns.length === 0)
    throw new UserError('The context has no message that a session could go on with.', 'Read it with: cc-show');
  const redactions = sessions.reduce((sum, session) => sum + session.redactions, 0);
  const { lines } = writePortable(merged, {
    sessionId: session_id,
    cwd: place.directory,
    version: conversations.at(-1)?.agent_version ?? '2.1.0',
    title: place.title,
    now: place.now,
    redacted: redactions > 0,
  });
  const problems = validateTranscript(lines);
  if (problems.length > 0) throw new Error(`the merged session is not valid: ${problems[0]}`);
  const transcript = Buffer.from(`${lines.join('\n')}\n`, 'utf8');
  const closed = conversations.reduce((sum, { closed_calls }) => sum + closed_calls, 0);
  return {
    session_id,
    files: [...(await sideFiles(sessions, store, session_id)), { path: `${session_id}.jsonl`, bytes: [transcript] }],
    message_count: countMessages(turns),
    size: transcript.length,
    progress: null,
    reason: sessions.length > 1 ? messages.merged(sessions.length) : messages.portable,
    warnings: [...(closed > 0 ? [messages.closedCalls(closed)] : []), ...(redactions > 0 ? [messages.redacted(redactions)] : [])],
  };
}

/** Subagents and overflowed tool results; of a file that several sessions have, the first is taken. */
async function sideFiles(sessions: ManifestSession[], store: ContextStore, sessionId: string): Promise<SessionOutput[]> {
  const files = new Map<string, SessionOutput>();
  for (const file of sessions.flatMap((session) => session.files)) {
    const path = outputPath(file.path, sessionId);
    if (file.path === 'transcript.jsonl' || files.has(path)) continue;
    files.set(path, { path, bytes: [await fileBytes(file, store)] });
  }
  return [...files.values()];
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
