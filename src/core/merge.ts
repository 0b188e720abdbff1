import { fingerprintOf } from './block.ts';
import type { Conversation, Turn } from './conversation.ts';
import { countClosedCalls, holdsResults, promptOf } from './conversation.ts';

/** A part of a merged conversation: a turn, or the place from which on the turns are of another session. */
export type MergedItem = { kind: 'turn'; turn: Turn } | { kind: 'marker'; session_id: string };

/** Several conversations as one. */
export interface MergedConversation {
  items: MergedItem[];
  /** Turns that were left out because another session has them too, as complete or more so. */
  duplicates: number;
}

/** A turn and its place in the order of all. */
interface Placed {
  turn: Turn;
  /** Milliseconds since 1970; never earlier than the turn before it in the same session. */
  time: number;
  session_id: string;
  index: number;
}

/**
 * Merges whole turns of all sessions in the order of the times of their prompts, and marks where the session changes.
 *
 * A session's own order always stays, also when its clock jumps back; equal times are ordered by the sessions' ids. So the
 * result does not depend on the order of `conversations`. A session that was continued under another id repeats its history:
 * such turns come once, at the place of the first.
 */
export function mergeConversations(conversations: Conversation[]): MergedConversation {
  const placed = conversations.flatMap(placeTurns).sort(byTime);
  const kept = withoutDuplicates(placed.map(({ turn }) => turn));
  const items: MergedItem[] = [];
  for (const [index, turn] of kept.entries()) {
    const before = kept[index - 1];
    if (before !== undefined && before.session_id !== turn.session_id)
      items.push({ kind: 'marker', session_id: turn.session_id });
    items.push({ kind: 'turn', turn });
  }
  return { items, duplicates: placed.length - kept.length };
}

/** The turns of a merged conversation, oldest first. */
export function turnsOf({ items }: MergedConversation): Turn[] {
  return items.flatMap((item) => (item.kind === 'turn' ? [item.turn] : []));
}

function placeTurns({ session_id, turns }: Conversation): Placed[] {
  let time = Number.NEGATIVE_INFINITY;
  return turns.map((turn, index) => {
    const at = Date.parse(turn.at);
    if (at > time) time = at;
    return { turn, time, session_id, index };
  });
}

function byTime(a: Placed, b: Placed): number {
  if (a.time !== b.time) return a.time < b.time ? -1 : 1;
  if (a.session_id !== b.session_id) return a.session_id < b.session_id ? -1 : 1;
  return a.index - b.index;
}

function withoutDuplicates(turns: Turn[]): Turn[] {
  const kept: Turn[] = [];
  const places = new Map<string, number[]>();
  for (const turn of turns) {
    const ids = identity(turn);
    const candidates = [...new Set([...ids].flatMap((id) => places.get(id) ?? []))];
    if (candidates.some((place) => covers(kept[place] as Turn, turn))) continue;
    const poorer = candidates.find((place) => covers(turn, kept[place] as Turn));
    const place = poorer ?? kept.length;
    kept[place] = turn;
    for (const id of ids) places.set(id, [...(places.get(id) ?? []), place]);
  }
  return kept;
}

/** Ids of the messages of a turn; answers to calls follow from the calls. */
function identity(turn: Turn): Set<string> {
  return new Set(turn.messages.filter((message) => !holdsResults(message)).map((message) => message.id));
}

function covers(turn: Turn, other: Turn): boolean {
  // Ids that somebody made by hand may be the same by chance: what was asked has to be the same too.
  if (askedIn(turn) !== askedIn(other)) return false;
  const [ids, others] = [identity(turn), identity(other)];
  if ([...others].some((id) => !ids.has(id))) return false;
  return ids.size > others.size || countClosedCalls(turn) <= countClosedCalls(other);
}

function askedIn(turn: Turn): string {
  return (promptOf(turn)?.content ?? []).map(fingerprintOf).join();
}
