import type { Progress } from '../../capture/read-file.ts';
import { tailChecksum } from '../../claude/reading.ts';
import { EMPTY_TALLY, tallyRecord } from '../../claude/tally.ts';
import { splitBlock } from '../../core/block.ts';
import { type Block, countMessages, NO_RESULT } from '../../core/conversation.ts';
import type { ManifestSession } from '../../core/manifest.ts';
import { mergeConversations } from '../../core/merge.ts';
import { imagesInMemory } from '../../core/tokens.ts';
import { messages } from '../../messages.ts';
import type { ContextStore } from '../../storage/context-store.ts';
import { readSession } from '../conversations.ts';
import { fileBytes, transcriptOf } from '../sessions.ts';
import { accountOf } from './account.ts';
import { fitOf } from './fit.ts';
import type { Place, Rebuilt } from './place.ts';
import { sideFiles } from './side-files.ts';

/**
 * The session as it was, byte for byte, under a new id: possible when the person and the directory are the same, nothing was redacted,
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
  if (place.budget !== null || !isSamePerson(session, place)) return null;
  if (session.directory !== place.directory || session.redactions > 0) return null;
  const keep = place.verify ? place.spool.keep : withoutContent;
  const { conversation, ledger } = await readSession(session, store, { keep, verify: place.verify });
  if (conversation.turns.length === 0 || conversation.closed_calls > 0) return null;
  const transcript = await fileBytes(transcriptOf(session), store);
  return {
    session_id,
    files: [
      ...[...sideFiles([session], session_id)].map(([path, file]) => ({ path, bytes: store.readFile(file) })),
      { path: `${session_id}.jsonl`, bytes: [transcript] },
    ],
    message_count: countMessages(conversation.turns),
    progress: progressOf(transcript, session),
    fit: fitOf([conversation], mergeConversations([conversation]), null).fit,
    reason: messages.exactCopy,
    warnings: [],
    account: ledger && accountOf([ledger], conversation.turns, conversation.turns, place.spool),
  };
}

/** Where an account is not known (an API key, a third party's cloud), what was captured on this machine is taken for the same person's. */
function isSamePerson({ session_id, account }: ManifestSession, place: Place): boolean {
  if (account !== null && place.account !== null) return account === place.account;
  return place.capturedHere(session_id);
}

/** For counting: a block without its content, of which a transcript may have hundreds of MB; only its size stays. */
function withoutContent(block: Block): Block {
  if (block.type === 'text' || block['content'] === NO_RESULT) return block;
  const { head, content } = splitBlock(block);
  return { ...head, spooled: { hash: '', length: Buffer.byteLength(content), images: imagesInMemory(block) } };
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
