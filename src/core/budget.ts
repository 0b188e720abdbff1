import { UserError } from '../errors.ts';
import { countMessages, type Turn } from './conversation.ts';
import { type MergedConversation, type MergedItem, turnsOf } from './merge.ts';

/** Stands at the beginning of a conversation whose older turns were left out. */
export const OMISSION = '…[earlier turns omitted]…';

/** The newest part of a merged conversation. */
export interface Budgeted {
  /** Begins with a turn, as every merged conversation does; the notice of the omission belongs before it. */
  merged: MergedConversation;
  /** Turns that were left out, all of them older than the first that is kept. */
  omitted_turns: number;
  /** Messages in them, as `countMessages` counts. */
  omitted_messages: number;
  /** Tokens of the turns that are kept. */
  tokens: number;
}

/**
 * The newest turns that fit into a budget of tokens: whole ones and without a gap, up to the first that does not fit.
 *
 * @param budget for the conversation alone, without system prompt and tools.
 * @throws UserError when not even the newest turn fits.
 */
export function withinBudget(merged: MergedConversation, budget: number, tokensOf: (turn: Turn) => number): Budgeted {
  const { items } = merged;
  let tokens = 0;
  let first = items.length;
  for (let at = items.length - 1; at >= 0; at -= 1) {
    const item = items[at] as MergedItem;
    if (item.kind !== 'turn') continue;
    const more = tokensOf(item.turn);
    if (tokens + more > budget) {
      if (first === items.length) throw nothingFits(more, budget);
      break;
    }
    tokens += more;
    first = at;
  }
  const omitted = turnsOf({ ...merged, items: items.slice(0, first) });
  return {
    merged: { ...merged, items: items.slice(first) },
    omitted_turns: omitted.length,
    omitted_messages: countMessages(omitted),
    tokens,
  };
}

function nothingFits(tokens: number, budget: number): UserError {
  const [needed, given] = [tokens, budget].map((count) => Math.ceil(count).toLocaleString('en-US'));
  return new UserError(
    `The newest turn alone takes about ${needed} tokens, more than the budget of ${given}.`,
    `Give a larger one (--budget ${Math.ceil(tokens)}), or restore each session by itself with --separate.`,
  );
}
