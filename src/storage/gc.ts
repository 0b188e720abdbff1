import type { Manifest } from '../core/manifest.ts';
import type { Tombstone } from '../core/tombstone.ts';
import { IntegrityError, StoreError } from '../errors.ts';
import { each } from './ahead.ts';
import { basesOf } from './bases.ts';
import { type BlobStore, blobKey, type Entry, entriesOf, manifestKey } from './blob-store.ts';
import { manifestsIn } from './manifests-in.ts';
import { readTombstone, tombstoneKey, tombstonesOf } from './removals.ts';
import { chunksOf } from './stored-manifest.ts';

export interface GcFacts {
  /** Hashes of the manifests that are needed, however old they are. */
  named: Set<string>;
  /** Whether a manifest that nothing names is this repository's to remove. */
  isOurs: (hash: string, manifest: Manifest) => boolean;
  /** Hashes of blobs that are needed although no manifest names them. */
  blobs: Iterable<string>;
  /** What was put later stays; milliseconds since 1970. Asked after `firstSeen`. */
  before: () => number;
  /** When objects were first seen, for a store that does not tell when they were put. */
  firstSeen: (keys: string[]) => Map<string, number>;
  onProgress?: (objects: number) => void;
}

/** What nothing needs. */
export interface GcPlan {
  /** Hashes of manifests. */
  manifests: string[];
  /** Hashes of blobs. */
  blobs: string[];
  /** Of all of them, as they are stored. */
  bytes: number;
  /** Contexts that nothing names and that stay: put too recently, or not known to be this repository's. */
  young: number;
  foreign: number;
  /** Hashes of all manifests that the store had. */
  seen: Set<string>;
}

/**
 * Finds what a store holds that nothing needs. Every manifest that stays keeps its blobs, whoever made it, and a blob keeps all that it is
 * compressed against.
 * @throws IntegrityError when an object that stays cannot be read: what it needs is not known. StoreError.
 */
export async function planGc(store: BlobStore, facts: GcFacts): Promise<GcPlan> {
  const { isOurs, onProgress = () => {} } = facts;
  const manifests = await listEntries(store, manifestKey(''));
  const blobs = await listEntries(store, blobKey(''));
  const isOld = agesOf([...manifests.values(), ...blobs.values()], facts);
  const tombstones = await tombstonesIn(store);
  const named = await withReplacements(facts.named, tombstones);
  const needed = new Set(facts.blobs);
  const purged = new Set<string>();
  const plan: GcPlan = { manifests: [], blobs: [], bytes: 0, young: 0, foreign: 0, seen: new Set(manifests.keys()) };

  for await (const [hash, manifest] of manifestsIn(store, manifests.keys())) {
    onProgress(plan.seen.size);
    if (manifest instanceof IntegrityError) throw unreadable(manifest);
    const tombstone = tombstones.get(hash);
    const isNamed = named.has(hash);
    const isDue = tombstone !== undefined || (!isNamed && isOld(manifestKey(hash)));
    const goes = isDue && (tombstone !== undefined || isOurs(hash, manifest));
    if (goes) plan.manifests.push(hash);
    else if (!isNamed) plan[isDue ? 'foreign' : 'young'] += 1;
    for (const session of manifest.sessions) {
      const isPurged = tombstone?.sessions.includes(session.session_id) === true;
      for (const [chunk] of goes && !isPurged ? [] : chunksOf(session)) (isPurged ? purged : needed).add(chunk);
    }
  }
  const bases = await told(basesOf(store, needed, { onProgress }));
  for (const hash of bases.keys()) needed.add(hash);
  await checkListing(store, needed, blobs);
  plan.blobs = [...blobs.keys()].filter((hash) => !needed.has(hash) && (purged.has(hash) || isOld(blobKey(hash))));
  plan.bytes = await sizeOf(store, [
    ...plan.manifests.map((hash) => manifests.get(hash) as Entry),
    ...plan.blobs.map((hash) => blobs.get(hash) as Entry),
  ]);
  return plan;
}

/**
 * Removes what nothing needs: manifests first, so that nobody finds one whose blobs are gone.
 * @returns hashes of manifests that came meanwhile and need what was removed: whoever put them has to do it again.
 */
export async function removeUnneeded(store: BlobStore, { manifests, blobs, seen }: GcPlan): Promise<string[]> {
  const spared = await neededBy(store, await newcomers(store, seen));
  const doomed = blobs.filter((hash) => !spared.has(hash));
  await each(manifests, (hash) => store.delete(manifestKey(hash)));
  await each(doomed, (hash) => store.delete(blobKey(hash)));
  await store.compact?.();
  const gone = new Set(doomed);
  const holed: string[] = [];
  for await (const [hash, manifest] of manifestsIn(store, await newcomers(store, seen))) {
    if (manifest instanceof IntegrityError) continue;
    const missing = manifest.sessions.flatMap(chunksOf).filter(([chunk]) => gone.has(chunk));
    if (missing.length > (await store.has(missing.map(([chunk]) => blobKey(chunk)))).size) holed.push(hash);
  }
  return holed;
}

/** The manifests that came since the plan was made. */
async function newcomers(store: BlobStore, seen: Set<string>): Promise<string[]> {
  return [...(await listEntries(store, manifestKey(''))).keys()].filter((hash) => !seen.has(hash));
}

async function neededBy(store: BlobStore, manifests: string[]): Promise<Set<string>> {
  const needed = new Set<string>();
  for await (const [, manifest] of manifestsIn(store, manifests)) {
    if (manifest instanceof IntegrityError) throw unreadable(manifest);
    for (const [chunk] of manifest.sessions.flatMap(chunksOf)) needed.add(chunk);
  }
  return new Set([...needed, ...(await told(basesOf(store, needed))).keys()]);
}

/** The entries of a class by the hashes they are named after. */
async function listEntries(store: BlobStore, prefix: string): Promise<Map<string, Entry>> {
  const entries = new Map<string, Entry>();
  for await (const entry of entriesOf(store, prefix)) entries.set(entry.key.slice(prefix.length), entry);
  return entries;
}

function agesOf(entries: Entry[], { before, firstSeen }: GcFacts): (key: string) => boolean {
  const untold = entries.filter(({ modified }) => modified === null).map(({ key }) => key);
  const seen = untold.length === 0 ? new Map<string, number>() : firstSeen(untold);
  const limit = before();
  const times = new Map(entries.map(({ key, modified }) => [key, modified ?? seen.get(key) ?? Number.POSITIVE_INFINITY]));
  return (key) => (times.get(key) ?? Number.POSITIVE_INFINITY) <= limit;
}

async function tombstonesIn(store: BlobStore): Promise<Map<string, Tombstone>> {
  const prefix = tombstoneKey('');
  const found = new Map<string, Tombstone>();
  for await (const key of store.list(prefix)) {
    const hash = key.slice(prefix.length);
    const tombstone = hash.includes('/') ? null : await readTombstone(store, key);
    if (tombstone !== null) found.set(hash, tombstone);
  }
  return found;
}

/** What stands for a needed manifest that was purged is needed. */
async function withReplacements(named: Set<string>, tombstones: Map<string, Tombstone>): Promise<Set<string>> {
  const all = new Set(named);
  const read = async (key: string) => tombstones.get(key.slice(tombstoneKey('').length)) ?? null;
  for (const hash of tombstones.keys()) {
    if (!named.has(hash)) continue;
    for (const { replacement } of await tombstonesOf(hash, read)) if (replacement !== null) all.add(replacement);
  }
  return all;
}

/** What is needed and there has to be in the listing: else that is cut short, and what it says is not to be trusted. */
async function checkListing(store: BlobStore, needed: Set<string>, listed: Map<string, Entry>): Promise<void> {
  const absent = [...needed].filter((hash) => !listed.has(hash)).map(blobKey);
  if (absent.length > 0 && (await store.has(absent)).size > 0)
    throw new StoreError(`The listing of ${store.url} is not complete.`, 'Nothing was removed. Try again later.');
}

async function sizeOf(store: BlobStore, entries: Entry[]): Promise<number> {
  let bytes = 0;
  await each(entries, async (entry) => {
    bytes += entry.bytes ?? (await store.get(entry.key))?.length ?? 0;
  });
  return bytes;
}

async function told<T>(work: Promise<T>): Promise<T> {
  try {
    return await work;
  } catch (error) {
    throw error instanceof IntegrityError ? unreadable(error) : error;
  }
}

function unreadable(cause: IntegrityError): IntegrityError {
  return new IntegrityError(
    `${cause.message} What it needs is not known, so nothing is removed.`,
    'See what is damaged with: cc-context verify',
    { cause },
  );
}
