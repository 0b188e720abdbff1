import type { Block } from '../core/conversation.ts';
import { applyEdits, mapStrings, mergeEdits } from '../core/edits.ts';
import { type Move, pathFinder } from '../core/moved-paths.ts';
import { type SideFiles, sidePathFinder } from './side-paths.ts';

/** What a conversation has to be told of the place it is restored in. */
export interface NewPlace {
  side: SideFiles;
  /** The old tops of the repository and the new one, when paths below them are to be rewritten; none otherwise. */
  tops: readonly Move[];
}

export interface Relocator {
  /** A block with its paths rewritten; the same object when none was. */
  block(block: Block): Block;
  /** What a tool was given or gave as text: an overflowed result. */
  result(text: string): string;
}

/**
 * Rewrites the paths of a conversation for the place where it goes on. Each stretch of text is rewritten at most once.
 *
 * Paths of side files (subagents, overflowed results) are rewritten wherever they are named, as the files are somewhere else now. Paths
 * below a top of the repository are rewritten only in what tools were given and gave back: what people and the model said
 * stays as they said it. Thinking, images and ids are never touched.
 */
export function relocator({ side, tops }: NewPlace): Relocator {
  const findSide = sidePathFinder(side);
  const findMoved = pathFinder(tops);
  const said = (text: string) => applyEdits(text, findSide(text));
  const result = (text: string) => applyEdits(text, mergeEdits(findSide(text), findMoved(text)));
  return {
    result,
    block(block) {
      if (block.type === 'text') return withField(block, 'text', said);
      if (block.type === 'tool_use') return withField(block, 'input', result);
      return block.type === 'tool_result' ? withField(block, 'content', result) : block;
    },
  };
}

function withField(block: Block, field: string, change: (text: string) => string): Block {
  const value = block[field];
  const changed = mapStrings(value, change);
  return changed === value ? block : { ...block, [field]: changed };
}
