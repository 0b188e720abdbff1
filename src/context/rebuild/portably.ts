import { portableRecords } from '../../claude/portable.ts';
import type { Block } from '../../core/conversation.ts';
import { countMessages } from '../../core/conversation.ts';
import type { ManifestSession } from '../../core/manifest.ts';
import { mergeConversations, turnsOf } from '../../core/merge.ts';
import { UserError } from '../../errors.ts';
import { messages } from '../../messages.ts';
import type { ContextStore } from '../../storage/context-store.ts';
import { readSession, type SessionRead } from '../conversations.ts';
import { accountOf } from './account.ts';
import { fitOf } from './fit.ts';
import type { Place, Rebuilt } from './place.ts';
import { portableSideFiles, relocatorFor } from './side-files.ts';
import { transcriptBytes } from './transcript.ts';

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
  const side = { sessionId: session_id, cwd: place.directory, paths: relocatorFor(sessions, place, session_id) };
  const keep = (block: Block) => place.spool.keep(side.paths.block(block));
  const read: SessionRead[] = [];
  for (const session of sessions) read.push(await readSession(session, store, { keep, verify: place.verify }));
  const conversations = read.map(({ conversation }) => conversation);
  const merged = mergeConversations(conversations);
  if (turnsOf(merged).length === 0)
    throw new UserError('The context has no message that a session could go on with.', 'Read it with: cc-show');
  const { kept, fit } = fitOf(conversations, merged, place.budget);
  const redactions = sessions.reduce((sum, session) => sum + session.redactions, 0);
  const records = portableRecords(kept, {
    sessionId: session_id,
    cwd: place.directory,
    version: conversations.at(-1)?.agent_version ?? '2.1.0',
    title: place.title,
    now: place.now,
    redacted: redactions > 0,
    omitted: fit.omitted_turns > 0,
  });
  const closed = conversations.reduce((sum, { closed_calls }) => sum + closed_calls, 0);
  return {
    session_id,
    files: [
      ...portableSideFiles(sessions, store, side),
      { path: `${session_id}.jsonl`, bytes: transcriptBytes(records, place.spool) },
    ],
    message_count: countMessages(turnsOf(kept)),
    progress: null,
    fit,
    reason: sessions.length > 1 ? messages.merged(sessions.length) : messages.portable,
    warnings: [...(closed > 0 ? [messages.closedCalls(closed)] : []), ...(redactions > 0 ? [messages.redacted(redactions)] : [])],
    account: place.verify
      ? accountOf(
          read.flatMap(({ ledger }) => ledger ?? []),
          turnsOf(merged),
          turnsOf(kept),
          place.spool,
        )
      : null,
  };
}
