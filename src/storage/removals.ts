import { randomBytes } from 'node:crypto';
import { damaged } from '../core/envelope.ts';
import { isTombstone, openRecord, type Removal, recordBytes, type Tombstone } from '../core/tombstone.ts';
import type { BlobStore } from './blob-store.ts';

/** Where a purged context is explained. */
export const tombstoneKey = (manifest: string): string => `tombstones/${manifest}`;
/** In the embedded store: sessions that are not captured any more. */
export const sessionTombstoneKey = (id: string): string => `tombstones/sessions/${id.toLowerCase()}`;
/**
 * In a shared store: one record for each time that something was removed. Who uploads lists them first, and trusts what they know of the
 * store only as long as there is no new one.
 */
export const REMOVALS = 'removals/';
/** In a store: what a purge has begun to remove. */
export const UNFINISHED = 'unfinished/';

/** @throws IntegrityError when it is damaged. */
export async function readTombstone(store: BlobStore, key: string): Promise<Tombstone | null> {
  const record = await readRecord(store, key);
  if (record !== null && !isTombstone(record)) throw damaged(key);
  return record;
}

/** @throws IntegrityError when it is damaged. */
export async function readRecord<T extends object>(store: BlobStore, key: string): Promise<T | null> {
  const bytes = await store.get(key);
  if (bytes === null) return null;
  const record = openRecord<T>(key, bytes);
  if (record === null) throw damaged(key);
  return record;
}

export async function putRecord(store: BlobStore, key: string, record: object): Promise<void> {
  await store.put(key, recordBytes(key, record));
}

/** Notes in a shared store that something is going to be removed from it. Before it is. */
export async function announce(store: BlobStore, removal: Removal): Promise<void> {
  const time = removal.at.replace(/\W|\.\d+/g, '').toLowerCase();
  await putRecord(store, `${REMOVALS}${time}-${randomBytes(4).toString('hex')}`, removal);
}

/**
 * The tombstones that lead from a manifest to the one that stands for it now, the first one first.
 * @throws IntegrityError for a damaged one, or when they lead in a circle.
 */
export async function tombstonesOf(manifest: string, read: (key: string) => Promise<Tombstone | null>): Promise<Tombstone[]> {
  const found: Tombstone[] = [];
  const seen = new Set<string>();
  for (let next: string | null = manifest; next !== null; ) {
    if (seen.has(next)) throw damaged(tombstoneKey(next));
    seen.add(next);
    const tombstone: Tombstone | null = await read(tombstoneKey(next));
    if (tombstone === null) break;
    found.push(tombstone);
    next = tombstone.replacement;
  }
  return found;
}
