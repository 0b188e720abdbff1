import { isCarried } from './carried.ts';
import type { Block, Message, Turn } from './conversation.ts';

/** What is compared: a block and the message it stands in. */
export interface Placed {
  message: Message;
  session_id: string;
  block: Block;
  /** For a result, the place of its call in the whole sequence, -1 where it has none; null for every other block. */
  call: number | null;
}

/** A block that did not arrive as it was sent. */
export interface Difference {
  /**
   * `missing`; `altered` (another content in its place); `moved` (out of its order); `added` (nobody sent it); `mispaired` (a result that
   * answers another call).
   */
  what: 'missing' | 'altered' | 'moved' | 'added' | 'mispaired';
  placed: Placed;
}

/** All blocks of turns that a restored session has, in order. */
export function placedBlocks(turns: Turn[]): Placed[] {
  const placed: Placed[] = [];
  const calls = new Map<unknown, number>();
  for (const { session_id, messages } of turns) {
    for (const message of messages) {
      for (const block of message.content.filter(isCarried)) {
        if (block.type === 'tool_use') calls.set(block['id'], placed.length);
        const call = block.type === 'tool_result' ? (calls.get(block['tool_use_id']) ?? -1) : null;
        placed.push({ message, session_id, block, call });
      }
    }
  }
  return placed;
}

/**
 * Compares what was read back with what was to be written: the same blocks of the same messages, in the same order, with the same
 * content, every result answering the same call. Ids of calls may differ.
 *
 * @param fingerprint of a block's content without its ids and the name of its tool.
 * @returns one difference for each block that is concerned, none when all arrived.
 */
export function differences(sent: Placed[], arrived: Placed[], fingerprint: (block: Block) => string): Difference[] {
  const places = Map.groupBy(arrived.keys(), (at) => key(arrived[at] as Placed, fingerprint));
  const counterpart = sent.map((one) => places.get(key(one, fingerprint))?.shift() ?? null);
  const unsent = Map.groupBy(
    [...places.values()].flat().sort((a, b) => a - b),
    (at) => slot(arrived[at] as Placed),
  );
  const inOrder = longestRise(counterpart);
  const altered = sent.map((placed, index) => (counterpart[index] == null ? unsent.get(slot(placed))?.shift() : undefined));
  const found = sent.flatMap((placed, index): Difference[] => {
    const at = counterpart[index] ?? null;
    if (at === null) return [{ what: altered[index] === undefined ? 'missing' : 'altered', placed }];
    if (!inOrder.has(index)) return [{ what: 'moved', placed }];
    const call = placed.call === null ? null : (counterpart[placed.call] ?? altered[placed.call] ?? -1);
    return call === (arrived[at] as Placed).call ? [] : [{ what: 'mispaired', placed }];
  });
  const added = [...unsent.values()].flat().sort((a, b) => a - b);
  return [...found, ...added.map((at) => ({ what: 'added' as const, placed: arrived[at] as Placed }))];
}

function key(placed: Placed, fingerprint: (block: Block) => string): string {
  return JSON.stringify([slot(placed), placed.block['name'], fingerprint(placed.block)]);
}

/** Where a block belongs, whatever it says. */
function slot({ message: { id, role, meta, summary }, block: { type } }: Placed): string {
  return JSON.stringify([id, role, meta, summary, type]);
}

/** Indexes of a longest subsequence whose values rise; what is null is in none. */
function longestRise(values: (number | null)[]): Set<number> {
  const ends: number[] = []; // index of the smallest value that a rise of each length ends in
  const before = new Map<number, number | undefined>();
  for (const [index, value] of values.entries()) {
    if (value === null) continue;
    let [low, high] = [0, ends.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((values[ends[middle] as number] as number) < value) low = middle + 1;
      else high = middle;
    }
    before.set(index, ends[low - 1]);
    ends[low] = index;
  }
  const rise = new Set<number>();
  for (let at = ends.at(-1); at !== undefined; at = before.get(at)) rise.add(at);
  return rise;
}
