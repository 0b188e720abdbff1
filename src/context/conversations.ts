import { readConversation } from '../claude/conversation.ts';
import { ledgerOf } from '../claude/ledger.ts';
import { readablePrompt } from '../claude/prompt-text.ts';
import { type ParsedLine, RecordReader, type TranscriptRecord } from '../claude/records.ts';
import { slimRecord } from '../claude/slim.ts';
import type { SessionLedger } from '../core/accounting.ts';
import { type Block, type Conversation, countMessages, promptOf, textOf } from '../core/conversation.ts';
import type { ManifestSession } from '../core/manifest.ts';
import type { Snapshot } from '../core/snapshot.ts';
import { IntegrityError, StoreUnavailable } from '../errors.ts';
import type { Repository } from '../git/repository.ts';
import type { ContextStore } from '../storage/context-store.ts';
import type { CommitContexts } from './of-commits.ts';
import { sessionsOf, transcriptOf } from './sessions.ts';
import { withStores } from './stores.ts';

/** A captured session as it was read. */
export interface SessionRead {
  /** Its live branch. */
  conversation: Conversation;
  /** What became of all that it had, when that was asked for. */
  ledger: SessionLedger | null;
}

/**
 * Reads a captured session.
 * @param keep gives what stands for a block.
 * @throws IntegrityError
 */
export async function readSession(
  session: ManifestSession,
  store: ContextStore,
  { keep, verify }: { keep: (block: Block) => Block; verify: boolean },
): Promise<SessionRead> {
  const { session_id } = session;
  const records = await recordsFrom(store.readFile(transcriptOf(session)), keep);
  const conversation = readConversation(session_id, records);
  return { conversation, ledger: verify ? ledgerOf(session_id, records, conversation.turns) : null };
}

/** The live branch of a captured session, with all its content. @throws IntegrityError */
export async function conversationOf(session: ManifestSession, store: ContextStore): Promise<Conversation> {
  return (await readSession(session, store, { keep: (block) => block, verify: false })).conversation;
}

/** The records of a transcript that comes in pieces, with only what a conversation is read from. */
export async function recordsFrom(
  pieces: AsyncIterable<Buffer> | Iterable<Buffer>,
  keep: (block: Block) => Block,
): Promise<TranscriptRecord[]> {
  const reader = new RecordReader();
  const records: TranscriptRecord[] = [];
  const take = (lines: Iterable<ParsedLine>) => {
    for (const record of lines) if (record !== null) records.push(slimRecord(record, keep));
  };
  for await (const piece of pieces) take(reader.push(piece));
  take(reader.end());
  return records;
}

/** The prompts that are new in each commit, oldest first; null for a commit whose content is not in the store here. */
export async function newPrompts(commits: CommitContexts[], repository: Repository): Promise<Map<string, string[] | null>> {
  return await withStores(repository, async ({ contexts: store }) => {
    const result = new Map<string, string[] | null>();
    for (const { commit, contexts } of commits) {
      if (contexts.length > 0) result.set(commit, await promptsOf(contexts, store));
    }
    return result;
  });
}

async function promptsOf(contexts: Snapshot[], store: ContextStore): Promise<string[] | null> {
  try {
    const sessions = await sessionsOf(contexts, store);
    const turns = await Promise.all(
      sessions.map(async (session) => {
        const conversation = await conversationOf(session, store);
        return newTurns(conversation, newMessages(session.session_id, contexts));
      }),
    );
    const inOrder = turns.flat().sort((a, b) => Date.parse(a.at) - Date.parse(b.at));
    return inOrder
      .flatMap((turn) => promptOf(turn) ?? [])
      .map((prompt) => readablePrompt(textOf(prompt)))
      .filter((text) => text.trim() !== '');
  } catch (error) {
    // Out of reach is as good as not here: the list itself needs neither.
    if (error instanceof IntegrityError || error instanceof StoreUnavailable) return null;
    throw error;
  }
}

/** Messages of a session that no ancestor has; contexts of one commit follow each other, so theirs add up. */
function newMessages(sessionId: string, contexts: Snapshot[]): number {
  return contexts
    .flatMap(({ sessions }) => sessions.filter(({ session_id }) => session_id === sessionId))
    .reduce((sum, { new_messages }) => sum + new_messages, 0);
}

/** The turns that hold the last `count` messages. */
function newTurns({ turns }: Conversation, count: number): Conversation['turns'] {
  let left = count;
  const from = turns.findLastIndex((turn) => {
    left -= countMessages([turn]);
    return left <= 0;
  });
  return count === 0 ? [] : turns.slice(left < 0 ? from + 1 : Math.max(0, from));
}
