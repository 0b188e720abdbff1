import type { TranscriptRecord } from './records.ts';
import { asRecord, asString } from './records.ts';

/** A record of the main chain: part of the conversation itself, not of a subagent and not about the session. */
export interface ChainRecord {
  uuid: string;
  /** What it follows: null at a beginning; it may name a record that the file does not have. */
  parent: string | null;
  /** Place in the main chain's file order. */
  index: number;
  record: TranscriptRecord;
}

const CHAIN_TYPES = new Set<unknown>(['user', 'assistant', 'system', 'attachment', 'progress']);

/** The records of the main chain in file order, all branches; a uuid that comes again is a copy and counts once. */
export function mainChain(records: Iterable<TranscriptRecord>): ChainRecord[] {
  const chain = new Map<string, ChainRecord>();
  for (const record of records) {
    const uuid = chainUuid(record);
    if (uuid === null || chain.has(uuid)) continue;
    // A parent that is not a string is a damaged one, which no record has as its uuid.
    const parent = record['parentUuid'] == null ? null : (asString(record['parentUuid']) ?? '');
    chain.set(uuid, { uuid, parent, index: chain.size, record });
  }
  return [...chain.values()];
}

/**
 * The live branch, oldest first: what `claude --resume` would continue, from the last compaction on (its boundary, the summary,
 * the messages that were preserved, what followed).
 *
 * A chain that breaks off at a parent the file does not have, or that runs into a cycle, goes on with the record before the
 * break in the file: a damaged or lost line must not cost what was said before it. (2.1.329 does so within 5 seconds.) A
 * `parentUuid` of null is no break but a beginning: Claude Code writes it where the context was cleared.
 *
 * `chain`: the main chain of `records`, whose entries the branch consists of; what a compaction preserved gets its new parents.
 */
export function liveBranch(records: TranscriptRecord[], chain: ChainRecord[] = mainChain(records)): ChainRecord[] {
  const byUuid = new Map(chain.map((entry) => [entry.uuid, entry]));
  relinkPreserved(chain, byUuid);
  const branch: ChainRecord[] = [];
  const visited = new Set<ChainRecord>();
  for (let entry = leafOf(records, chain, byUuid); entry !== undefined; ) {
    branch.push(entry);
    visited.add(entry);
    if (isBoundary(entry) || entry.parent === null) break;
    const parent = byUuid.get(entry.parent);
    entry =
      parent === undefined || visited.has(parent) ? chain.slice(0, entry.index).findLast((one) => !visited.has(one)) : parent;
  }
  return branch.reverse();
}

/**
 * The newest record of the live branch. It is the last of the file, unless a `last-prompt` record names another one: after a
 * rewind, what was abandoned may stand later in the file. What was written after the named one, on top of it, belongs to it; an
 * `explicit` one (a rewind that nothing followed yet) stands as it is, and names nothing where the rewind went to the start.
 * Source: the loader of 2.1.329.
 */
function leafOf(records: TranscriptRecord[], chain: ChainRecord[], byUuid: Map<string, ChainRecord>): ChainRecord | undefined {
  let named: ChainRecord | undefined;
  let standing = false;
  let emptied = false;
  for (const record of records) {
    const uuid = chainUuid(record);
    if (uuid !== null) {
      standing = false;
      emptied = false;
      if (isBoundary({ record })) named = undefined;
    } else if (record['type'] === 'last-prompt') {
      const leaf = record['leafUuid'];
      const explicit = record['explicit'] === true || record['rewound'] === true;
      if (typeof leaf === 'string') {
        named = byUuid.get(leaf);
        standing = explicit;
        emptied = false;
      } else if (leaf === null && explicit) {
        named = undefined;
        emptied = true;
      }
    }
  }
  if (emptied) return undefined;
  const last = chain.at(-1);
  if (named === undefined || last === undefined) return last;
  return standing || !follows(last, named, byUuid) ? named : last;
}

/** Whether `entry` comes after `earlier`, or after another part of the same reply: parallel calls fork the chain. */
function follows(entry: ChainRecord, earlier: ChainRecord, byUuid: Map<string, ChainRecord>): boolean {
  const reply = replyOf(earlier, byUuid);
  const visited = new Set<ChainRecord>();
  for (let at: ChainRecord | undefined = entry; at !== undefined && !visited.has(at); at = byUuid.get(at.parent ?? '')) {
    if (at === earlier || (reply !== null && replyOf(at, byUuid) === reply)) return true;
    visited.add(at);
  }
  return false;
}

/** `message.id` of the reply that a record is part of, or holds a tool result for; null for everything else. */
function replyOf(entry: ChainRecord | undefined, byUuid: Map<string, ChainRecord>): string | null {
  const message = asRecord(entry?.record['message']);
  if (entry === undefined || message === null) return null;
  if (entry.record['type'] === 'assistant') return asString(message['id']);
  const content = message['content'];
  const holdsResult = Array.isArray(content) && content.some((block) => asRecord(block)?.['type'] === 'tool_result');
  const parent = holdsResult ? byUuid.get(entry.parent ?? '') : undefined;
  return parent?.record['type'] === 'assistant' ? replyOf(parent, byUuid) : null;
}

/**
 * A compaction may keep the newest messages beside the summary. They stay where they are in the file, with their old parents;
 * the boundary says where they belong: after `anchorUuid`, and what followed the anchor comes after them. Source: 2.1.329
 * (`preservedMessages`) and the versions before it (`preservedSegment`).
 */
function relinkPreserved(chain: ChainRecord[], byUuid: Map<string, ChainRecord>): void {
  for (const boundary of chain.filter(isBoundary)) {
    const { anchor, preserved } = preservedBy(boundary, byUuid);
    const last = preserved.at(-1);
    if (last === undefined) continue;
    const kept = new Set(preserved);
    for (const entry of chain) {
      if (kept.has(entry) || entry === boundary) continue;
      const parent = byUuid.get(entry.parent ?? '');
      const isMessage = entry.record['type'] === 'user' || entry.record['type'] === 'assistant';
      const overBoundary = isMessage && entry.index > boundary.index && parent !== undefined && parent.index < boundary.index;
      if (entry.parent === anchor || (overBoundary && !kept.has(parent))) entry.parent = last.uuid;
    }
    let before = anchor;
    for (const entry of preserved) {
      entry.parent = before;
      before = entry.uuid;
    }
  }
}

function preservedBy(boundary: ChainRecord, byUuid: Map<string, ChainRecord>): { anchor: string; preserved: ChainRecord[] } {
  const compaction = asRecord(boundary.record['compactMetadata']);
  const list = asRecord(compaction?.['preservedMessages']);
  const segment = asRecord(compaction?.['preservedSegment']);
  const anchor = asString((list ?? segment)?.['anchorUuid']);
  if (anchor === null || !byUuid.has(anchor)) return { anchor: '', preserved: [] };
  const uuids = list === null ? segmentUuids(segment, byUuid) : list['uuids'];
  const preserved = Array.isArray(uuids) ? uuids.map((uuid) => byUuid.get(uuid)) : [];
  const whole = preserved.every((entry) => entry !== undefined && entry.uuid !== anchor);
  return { anchor, preserved: whole ? (preserved as ChainRecord[]) : [] };
}

function segmentUuids(segment: TranscriptRecord | null, byUuid: Map<string, ChainRecord>): string[] {
  const uuids: string[] = [];
  const visited = new Set<ChainRecord>();
  let at = byUuid.get(asString(segment?.['tailUuid']) ?? '');
  while (at !== undefined && !visited.has(at)) {
    visited.add(at);
    uuids.unshift(at.uuid);
    if (at.uuid === segment?.['headUuid']) return uuids;
    at = byUuid.get(at.parent ?? '');
  }
  return [];
}

function isBoundary({ record }: Pick<ChainRecord, 'record'>): boolean {
  return record['type'] === 'system' && record['subtype'] === 'compact_boundary';
}

function chainUuid(record: TranscriptRecord): string | null {
  return CHAIN_TYPES.has(record['type']) && record['isSidechain'] !== true ? asString(record['uuid']) : null;
}
