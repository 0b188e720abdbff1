import type { Block } from './conversation.ts';
import { sha256 } from './hash.ts';

/** What tells a block from others without its content: the ids of tool calls may be given anew. */
const HEAD = ['type', 'id', 'tool_use_id', 'name'] as const;

/** A block in two parts: what it is, which stays at hand, and its content as JSON text (an object without those fields). */
export function splitBlock(block: Block): { head: Block; content: string } {
  const head: Record<string, unknown> = {};
  const rest: Record<string, unknown> = {};
  for (const [field, value] of Object.entries(block)) ((HEAD as readonly string[]).includes(field) ? head : rest)[field] = value;
  return { head: head as Block, content: JSON.stringify(rest) };
}

/** Bytes of a block's content as JSON, wherever it lies. */
export function sizeOf(block: Block): number {
  return block.spooled?.length ?? Buffer.byteLength(splitBlock(block).content);
}

/** The same for two blocks of one type and content; ids do not count. */
export function fingerprintOf(block: Block): string {
  return `${block.type} ${block.spooled?.hash ?? sha256(Buffer.from(splitBlock(block).content))}`;
}
