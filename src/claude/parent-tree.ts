import type { ChainRecord } from './live-branch.ts';
import { asRecord, asString } from './records.ts';

/**
 * The main chain as its records tell it: each with the parent it was written with. Where a parent is missing, the record before it in the
 * file is the parent, and so it is where parents run in a circle; over a compaction the parent is the last record before it.
 */
export class ParentTree {
  private readonly chain: ChainRecord[];
  private readonly byUuid: Map<string, ChainRecord>;
  /** Uuids of what a compaction preserved, by the uuid of its boundary; only of those that list any. */
  private readonly preserved: Map<ChainRecord, Set<string>>;
  private readonly beginnings = new Map<ChainRecord, ChainRecord>();

  constructor(chain: ChainRecord[]) {
    this.chain = chain;
    this.byUuid = new Map(chain.map((entry) => [entry.uuid, entry]));
    this.preserved = new Map(
      chain.filter(isBoundary).flatMap((entry): [ChainRecord, Set<string>][] => {
        const uuids = this.preservedBy(entry);
        return uuids.size === 0 ? [] : [[entry, uuids]];
      }),
    );
  }

  /** The records from the newest up to the last compaction, newest first, and those above it, which the compaction replaced. */
  pathTo(leaf: string | null): { path: Set<ChainRecord>; replaced: Set<ChainRecord> } {
    const [path, replaced] = [new Set<ChainRecord>(), new Set<ChainRecord>()];
    let entry = this.byUuid.get(leaf ?? '');
    let boundary: ChainRecord | null = null;
    const passed = new Set<ChainRecord>();
    while (entry !== undefined) {
      passed.add(entry);
      (boundary === null ? path : replaced).add(entry);
      if (isBoundary(entry)) boundary ??= entry;
      entry = this.next(entry, passed, boundary === null);
    }
    for (const uuid of this.preserved.get(boundary as ChainRecord) ?? []) {
      const kept = this.byUuid.get(uuid);
      if (kept !== undefined && replaced.delete(kept)) path.add(kept);
    }
    return { path, replaced };
  }

  /** The topmost record above one. */
  beginningOf(entry: ChainRecord | undefined): ChainRecord | undefined {
    const passed = new Set<ChainRecord>();
    let at = entry;
    for (let next = at; next !== undefined; next = this.next(next, passed, false)) {
      at = this.beginnings.get(next) ?? next;
      if (at !== next) break;
      passed.add(next);
    }
    if (at !== undefined) for (const one of passed) this.beginnings.set(one, at);
    return at;
  }

  /** The record above one, or, where that was passed already (a cycle), the one before it in the file. */
  private next(entry: ChainRecord, passed: Set<ChainRecord>, follow: boolean): ChainRecord | undefined {
    const above = this.above(entry, follow);
    if (above === undefined || !passed.has(above)) return above;
    return this.chain.slice(0, entry.index).findLast((one) => !passed.has(one));
  }

  /** @param follow whether what came after a compaction leads to it, also where its parent is a message that it preserved. */
  private above(entry: ChainRecord, follow: boolean): ChainRecord | undefined {
    const { record, index } = entry;
    if (isBoundary(entry)) return this.byUuid.get(asString(record['logicalParentUuid']) ?? '') ?? this.chain[index - 1];
    if (record['parentUuid'] == null) return undefined;
    const parent = this.byUuid.get(asString(record['parentUuid']) ?? '') ?? this.chain[index - 1];
    const crossed = this.chain.slice(parent?.index ?? 0, index).findLast((one) => this.preserved.has(one));
    return follow && crossed !== undefined ? crossed : parent;
  }

  private preservedBy({ record }: ChainRecord): Set<string> {
    const compaction = asRecord(record['compactMetadata']);
    const list = asRecord(compaction?.['preservedMessages']);
    const segment = asRecord(compaction?.['preservedSegment']);
    const anchor = asString((list ?? segment)?.['anchorUuid']);
    if (anchor === null || !this.byUuid.has(anchor)) return new Set();
    if (list !== null) {
      const listed = Array.isArray(list['uuids']) ? list['uuids'] : [];
      return new Set(listed.every((uuid) => this.byUuid.has(uuid) && uuid !== anchor) ? listed : []);
    }
    const uuids = new Set<string>();
    const head = asString(segment?.['headUuid']);
    let at = this.byUuid.get(asString(segment?.['tailUuid']) ?? '');
    while (head !== null && at !== undefined && !uuids.has(at.uuid)) {
      uuids.add(at.uuid);
      at = at.uuid === head ? undefined : this.byUuid.get(asString(at.record['parentUuid']) ?? '');
    }
    return uuids;
  }
}

function isBoundary({ record }: ChainRecord): boolean {
  return record['type'] === 'system' && record['subtype'] === 'compact_boundary';
}
