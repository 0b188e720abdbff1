import { type Account, Book, type Counts, countsOf, kindOf, type OffBranch, ofType } from './account-book.ts';
import { carriedBlocks } from './carried.ts';
import { type Block, holdsResults, type Message, NO_RESULT, type Turn } from './conversation.ts';
import { differences, placedBlocks } from './same-blocks.ts';

/** What a session had, and what became of it when it was read. */
export interface SessionLedger {
  session_id: string;
  /** Every message of the main chain, all branches, nothing closed; the results of a reply's calls in the message after it. */
  captured: Message[];
  /** All tool results in the records of the main chain, and those of them that are in none of these messages. */
  results: { all: number; no_call: number; repeated: number };
  /** Those of `captured` that are not on the live branch. Results need no entry: they share the fate of their calls. */
  off_branch: ReadonlyMap<Message, OffBranch>;
  /** The live branch; calls without a result are closed. */
  live: Turn[];
}

/** A restore from end to end. The turns of `live`, `merged` and `kept` are the same objects. */
export interface Ledger {
  sessions: SessionLedger[];
  /** The turns of all sessions as one conversation. */
  merged: Turn[];
  /** Those of them that were to be written. */
  kept: Turn[];
  /** What is read back from the file that was written. */
  restored: Turn[];
}

/**
 * Accounts for a restore. Each captured prompt, reply, call and result is followed on its own through reading, merging, the budget and the
 * file: what stops on the way needs a reason that holds for itself, and what arrives must be the same as what was sent.
 *
 * @param fingerprint of a block's content without its ids (`id`, `tool_use_id`), which may be renamed, and without `name`.
 */
export function account(ledger: Ledger, fingerprint: (block: Block) => string): Account {
  const { sessions, kept, restored } = ledger;
  const book = new Book();
  const fates = fatesOf(ledger, book);
  const blank = new Blank(messagesOf(restored));
  for (const session of sessions) {
    followResults(session, book);
    followSession(session, fates, blank, book);
  }
  for (const { what, placed } of differences(placedBlocks(kept), placedBlocks(restored), fingerprint)) book.differ(what, placed);
  for (const { message, session_id } of blank.left()) book.wonder('added', message, session_id, []);
  const captured = countsOf(sessions.flatMap((session) => session.captured));
  captured.tool_results = sessions.reduce((sum, { results }) => sum + results.all, 0);
  return book.account(captured, countsOf(messagesOf(restored).map(({ message }) => message)));
}

/** What becomes of a live turn: a loss, `kept`, or nothing that there is a reason for. */
type Fate = 'duplicate' | 'budget' | 'kept' | 'unexplained';

function fatesOf({ sessions, merged, kept }: Ledger, book: Book): Map<Turn, Fate> {
  const [inMerged, inKept] = [new Set(merged), new Set(kept)];
  const live = new Set(sessions.flatMap((session) => session.live));
  const first = merged.findIndex((turn) => inKept.has(turn));
  const older = new Set(merged.slice(0, Math.max(0, first)));
  const twins = new Twins(merged);
  const fates = new Map<Turn, Fate>();
  for (const turn of live) {
    if (inKept.has(turn) && inMerged.has(turn)) fates.set(turn, 'kept');
    else if (inMerged.has(turn)) fates.set(turn, older.has(turn) ? 'budget' : 'unexplained');
    else fates.set(turn, twins.has(turn) ? 'duplicate' : 'unexplained');
  }
  for (const turn of kept.filter((one) => !live.has(one) || !inMerged.has(one))) {
    for (const message of turn.messages) book.wonder('added', message, turn.session_id, ofType(message, 'tool_result'));
  }
  return fates;
}

/** Whether the results that were captured are all in the messages. */
function followResults({ session_id, captured, results: { all, no_call, repeated } }: SessionLedger, book: Book): void {
  book.lose('no_call', { tool_results: no_call });
  book.lose('repeated', { tool_results: repeated });
  const gone = all - no_call - repeated - countsOf(captured).tool_results;
  for (let one = 0; one < Math.abs(gone); one += 1) book.wonderAboutResult(gone > 0 ? 'missing' : 'added', session_id);
}

/** A message of the live branch, the results of its calls, and what becomes of it. */
interface LivePlace {
  message: Message;
  results: Block[];
  fate: Fate;
}

/** Follows what a session captured to the turns it was read into, and these to their fates. */
function followSession(session: SessionLedger, fates: Map<Turn, Fate>, blank: Blank, book: Book): void {
  const { session_id, captured, off_branch, live } = session;
  const places = new Map<string, LivePlace[]>();
  for (const turn of live) {
    for (const place of counted(turn.messages)) {
      const known = places.get(signature(place.message)) ?? [];
      places.set(signature(place.message), [...known, { ...place, fate: fates.get(turn) ?? 'unexplained' }]);
    }
  }
  for (const { message, results } of counted(captured)) {
    const off = off_branch.get(message);
    const place = off === undefined ? places.get(signature(message))?.shift() : undefined;
    if (off !== undefined) book.lose(off, weigh(message, results));
    else if (place === undefined || place.fate === 'unexplained') book.wonder('missing', message, session_id, results);
    else followMessage(message, results, place, session_id, blank, book);
  }
  for (const { message, results } of [...places.values()].flat()) book.wonder('added', message, session_id, results);
}

/** From its place on the live branch on. */
function followMessage(
  message: Message,
  captured: Block[],
  { fate, results }: LivePlace,
  session_id: string,
  blank: Blank,
  book: Book,
): void {
  const [had, has] = [callsOf(captured), callsOf(results)];
  const read = captured.filter((block) => has.has(block['tool_use_id']));
  for (const block of captured.filter((one) => !read.includes(one))) book.wonderBlock('missing', message, session_id, block);
  if (fate === 'duplicate' || fate === 'budget') {
    book.lose(fate, weigh(message, read));
    return;
  }
  if (carriedBlocks(message).length === 0 && !blank.take(message)) book.lose('empty', weigh(message, []));
  for (const block of results.filter((one) => !had.has(one['tool_use_id']))) {
    if (block['content'] === NO_RESULT) book.close();
    else book.wonderBlock('added', message, session_id, block);
  }
}

/** The messages that are counted, each with the results of its calls, which stand in the message after it. */
function counted(messages: Message[]): { message: Message; results: Block[] }[] {
  return messages.flatMap((message, index) => {
    if (kindOf(message) === 'other') return [];
    const next = messages[index + 1];
    return [{ message, results: message.role === 'user' || next === undefined ? [] : ofType(next, 'tool_result') }];
  });
}

/** Knows of every turn of a merged conversation whether it holds another one. */
class Twins {
  private readonly turns = new Map<string, Turn[]>();

  constructor(merged: Turn[]) {
    for (const turn of merged) {
      for (const id of new Set(spokenIds(turn))) this.turns.set(id, [...(this.turns.get(id) ?? []), turn]);
    }
  }

  /** Whether there is a turn that has all messages of this one, and a result wherever this one has one. */
  has(turn: Turn): boolean {
    const ids = spokenIds(turn);
    return (this.turns.get(ids[0] ?? '') ?? []).some((other) => {
      const [others, answered] = [new Set(spokenIds(other)), answeredCalls(other)];
      return ids.every((id) => others.has(id)) && [...answeredCalls(turn)].every((id) => answered.has(id));
    });
  }
}

/** The restored messages without a block that is compared: an exact copy has those of the original. */
class Blank {
  private readonly messages: { message: Message; session_id: string }[];

  constructor(restored: { message: Message; session_id: string }[]) {
    this.messages = restored.filter(({ message }) => carriedBlocks(message).length === 0);
  }

  take({ id }: Message): boolean {
    const at = this.messages.findIndex(({ message }) => message.id === id);
    if (at >= 0) this.messages.splice(at, 1);
    return at >= 0;
  }

  left(): { message: Message; session_id: string }[] {
    return this.messages.filter(({ message }) => kindOf(message) !== 'other');
  }
}

function weigh(message: Message, results: Block[]): Partial<Counts> {
  return { ...countsOf([message]), tool_results: results.length };
}

/** The same for a message of the live branch and as it was captured; several messages of a session can have it. */
function signature(message: Message): string {
  return JSON.stringify([message.role, message.id, ofType(message, 'tool_use').map((block) => block['id'])]);
}

function messagesOf(turns: Turn[]): { message: Message; session_id: string }[] {
  return turns.flatMap(({ messages, session_id }) => messages.map((message) => ({ message, session_id })));
}

function callsOf(results: Block[]): Set<unknown> {
  return new Set(results.map((block) => block['tool_use_id']));
}

function spokenIds({ messages }: Turn): string[] {
  return messages.filter((message) => !holdsResults(message)).map(({ id }) => id);
}

/** Calls that have a result of their own. */
function answeredCalls({ messages }: Turn): Set<unknown> {
  const results = messages.flatMap((message) => ofType(message, 'tool_result'));
  return callsOf(results.filter((block) => block['content'] !== NO_RESULT));
}
