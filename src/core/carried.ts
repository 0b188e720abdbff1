import type { Block, Message } from './conversation.ts';

/**
 * Whether a block is part of what a restored session sends to the model: everything but thinking (its signature holds only for the
 * account and conversation it was made in) and blank texts (the API refuses them). A block whose JSON is not in memory is too large
 * to be blank.
 */
export function isCarried(block: Block): boolean {
  if (block.type === 'thinking' || block.type === 'redacted_thinking') return false;
  return block.type !== 'text' || block.spooled !== undefined || String(block['text']).trim() !== '';
}

/** The blocks of a message that a restored session has. */
export function carriedBlocks({ content }: Message): Block[] {
  return content.filter(isCarried);
}
