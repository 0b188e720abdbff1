import { windowOf } from '../../claude/window.ts';
import { sizeOf } from '../../core/block.ts';
import { withinBudget } from '../../core/budget.ts';
import type { Conversation } from '../../core/conversation.ts';
import { type MergedConversation, turnsOf } from '../../core/merge.ts';
import { estimateTokens, imagesInMemory } from '../../core/tokens.ts';

/** How large a restored conversation is for the model. All numbers are estimates, in tokens. */
export interface Fit {
  /** The first request after the resume: the conversation, system prompt and tools. */
  tokens: number;
  /** Of these, system prompt and tools. */
  overhead: number;
  /** What the model of the newest reply can take. */
  window: number;
  /** Older turns that were left out to keep to a budget. */
  omitted_turns: number;
}

/**
 * Keeps the newest turns that fit into a budget, and says how large they are.
 * @param budget tokens of the turns; null for all turns.
 * @throws UserError when not even the newest turn fits.
 */
export function fitOf(
  conversations: Conversation[],
  merged: MergedConversation,
  budget: number | null,
): { kept: MergedConversation; fit: Fit } {
  const estimate = estimateTokens(conversations, sizeOf, (result) => result.spooled?.images ?? imagesInMemory(result));
  const budgeted = budget === null ? { merged, omitted_turns: 0 } : withinBudget(merged, budget, estimate.perTurn);
  const model = turnsOf(merged)
    .flatMap(({ messages }) => messages)
    .findLast((message) => message.model !== null)?.model;
  return {
    kept: budgeted.merged,
    fit: {
      tokens: Math.round(estimate.request(turnsOf(budgeted.merged))),
      overhead: Math.round(estimate.overhead),
      window: windowOf(model ?? null, estimate.largest_usage),
      omitted_turns: budgeted.omitted_turns,
    },
  };
}
