import { type Block, holdsResults, type Message } from './conversation.ts';
import type { Difference, Placed } from './same-blocks.ts';

/** What is counted. */
export const KINDS = ['prompts', 'replies', 'tool_calls', 'tool_results'] as const;
export type Kind = (typeof KINDS)[number];
export type Counts = Record<Kind, number>;

/**
 * Why a message of the main chain is not on the live branch: it was rewound, replaced by a compaction, cleared from the context, or is in a
 * session in which nobody wrote a prompt. Only the reader of the transcript can tell.
 */
export type OffBranch = 'rewound' | 'compacted' | 'cleared' | 'no_prompt';

/**
 * Why a captured message, call or result is not in the restored session: `duplicate` (another session has the turn too), `budget`,
 * `empty` (a message that says nothing, or only thinking), `no_call` (a result whose call is not in the transcript), `repeated` (a
 * further result of a call).
 */
export type Loss = OffBranch | 'duplicate' | 'budget' | 'empty' | 'no_call' | 'repeated';

/** One kind: `captured` less all `lost`, plus `closed`, is `restored` where nothing is unexplained. */
export interface AccountRow {
  kind: Kind;
  captured: number;
  restored: number;
  /** How many are missing for each reason; only reasons that apply. */
  lost: Partial<Record<Loss, number>>;
  /** Results that were added for calls without one. */
  closed: number;
  /** Entries of `unexplained` that are of this kind. */
  unexplained: number;
}

/** Something that should have arrived and did not, or that arrived and nobody had said. */
export interface Unexplained {
  /** `other` for what is not counted: summaries, what Claude Code wrote in between. */
  kind: Kind | 'other';
  what: Difference['what'];
  session_id: string;
  message_id: string;
  /** Type of the block where a single one is meant, null for a whole message. */
  block: string | null;
}

/** What went in, what came out, and why they differ. Nothing may be unexplained. */
export interface Account {
  rows: AccountRow[];
  unexplained: Unexplained[];
}

/**
 * Counts what people and model said: prompts without summaries and what Claude Code wrote in the person's name (`meta`), replies of the
 * model, also those that say nothing, tool calls and their results.
 */
export function countsOf(messages: Iterable<Message>): Counts {
  const counts: Counts = { prompts: 0, replies: 0, tool_calls: 0, tool_results: 0 };
  for (const message of messages) {
    const kind = kindOf(message);
    if (kind !== 'other') counts[kind] += 1;
    counts.tool_calls += ofType(message, 'tool_use').length;
    counts.tool_results += ofType(message, 'tool_result').length;
  }
  return counts;
}

/** Where everything is entered. */
export class Book {
  private readonly losses = new Map<Kind, Partial<Record<Loss, number>>>(KINDS.map((kind) => [kind, {}]));
  private readonly open: Unexplained[] = [];
  private closed = 0;

  /** What did not arrive for a reason. */
  lose(reason: Loss, counts: Partial<Counts>): void {
    for (const kind of KINDS) {
      const lost = this.losses.get(kind) ?? {};
      const count = counts[kind] ?? 0;
      if (count > 0) lost[reason] = (lost[reason] ?? 0) + count;
    }
  }

  /** A result was added for a call without one. */
  close(): void {
    this.closed += 1;
  }

  /** A whole message, its calls and their results. */
  wonder(what: Unexplained['what'], message: Message, session_id: string, results: Block[]): void {
    if (!holdsResults(message)) {
      this.open.push({ kind: kindOf(message), what, session_id, message_id: message.id, block: null });
    }
    for (const block of [...ofType(message, 'tool_use'), ...results]) this.wonderBlock(what, message, session_id, block);
  }

  /** A single block. */
  wonderBlock(what: Unexplained['what'], message: Message, session_id: string, block: Block): void {
    this.open.push({ kind: blockKind(message, block), what, session_id, message_id: message.id, block: block.type });
  }

  /** A result of which only the number is known. */
  wonderAboutResult(what: Unexplained['what'], session_id: string): void {
    this.open.push({ kind: 'tool_results', what, session_id, message_id: '', block: 'tool_result' });
  }

  /** A block that is not in the file as it was to be written. */
  differ(what: Difference['what'], { message, session_id, block }: Placed): void {
    this.wonderBlock(what, message, session_id, block);
  }

  account(captured: Counts, restored: Counts): Account {
    const rows = KINDS.map((kind) => ({
      kind,
      captured: captured[kind],
      restored: restored[kind],
      lost: this.losses.get(kind) ?? {},
      closed: kind === 'tool_results' ? this.closed : 0,
      unexplained: this.open.filter((one) => one.kind === kind).length,
    }));
    return { rows, unexplained: this.open };
  }
}

/** As what a message counts. */
export function kindOf(message: Message): 'prompts' | 'replies' | 'other' {
  if (message.role === 'assistant') return 'replies';
  return message.meta || message.summary || holdsResults(message) ? 'other' : 'prompts';
}

function blockKind(message: Message, { type }: Block): Kind | 'other' {
  if (type === 'tool_use') return 'tool_calls';
  return type === 'tool_result' ? 'tool_results' : kindOf(message);
}

/** The blocks of one type in a message. */
export function ofType({ content }: Message, type: string): Block[] {
  return content.filter((block) => block.type === type);
}
