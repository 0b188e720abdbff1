import { readConversation } from '../../claude/conversation.ts';
import type { Account } from '../../core/account-book.ts';
import { account, type SessionLedger } from '../../core/accounting.ts';
import { fingerprintOf } from '../../core/block.ts';
import type { Turn } from '../../core/conversation.ts';
import { recordsFrom } from '../conversations.ts';
import type { Spool } from '../spool.ts';

/**
 * How a restore is accounted for: everything that the sessions had, against what is read back of the transcript that was made.
 * @param merged the turns of all sessions as one conversation; `kept` those of them that were to be written.
 */
export function accountOf(
  sessions: SessionLedger[],
  merged: Turn[],
  kept: Turn[],
  spool: Spool,
): (transcript: AsyncIterable<Buffer> | Iterable<Buffer>) => Promise<Account> {
  return async (transcript) => {
    const { turns } = readConversation('restored', await recordsFrom(transcript, spool.keep));
    return account({ sessions, merged, kept, restored: turns }, fingerprintOf);
  };
}
