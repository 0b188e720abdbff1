import type { Progress } from '../../capture/read-file.ts';
import type { SessionOutput } from '../../claude/write-session.ts';
import type { Account } from '../../core/account-book.ts';
import type { Move } from '../../core/moved-paths.ts';
import type { Spool } from '../spool.ts';
import type { Fit } from './fit.ts';

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
  /** Claude Code's project directory for it. */
  projectDir: string;
  /** Where the repository was and where it is, when paths in it are to be rewritten; none otherwise. */
  tops: Move[];
  /** Tokens that the turns of a conversation may take, null for all of them. */
  budget: number | null;
  /** Make it possible to account for everything. */
  verify: boolean;
  /** True for a session that a commit of this repository captured on this machine. */
  capturedHere: (sessionId: string) => boolean;
}

/** A session ready to be written. */
export interface Rebuilt {
  session_id: string;
  /** Transcript last. */
  files: SessionOutput[];
  message_count: number;
  /** How far a capture would have read it, when its content is stored already. */
  progress: Progress | null;
  /** How large it is, and what was left out to make it so. */
  fit: Fit;
  reason: string;
  warnings: string[];
  /** Accounts for everything that was captured, by the transcript that came of it; null unless it was asked for. */
  account: ((transcript: AsyncIterable<Buffer> | Iterable<Buffer>) => Promise<Account>) | null;
}
