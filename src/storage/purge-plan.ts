import type { ManifestSession } from '../core/manifest.ts';
import type { Tombstone } from '../core/tombstone.ts';
import { IntegrityError } from '../errors.ts';
import { basesOf, dependentsOn, withBases } from './bases.ts';
import type { BlobStore } from './blob-store.ts';
import { listManifests, manifestsIn } from './manifests-in.ts';
import { readRecord, readTombstone, tombstoneKey, UNFINISHED } from './removals.ts';
import { chunksOf } from './stored-manifest.ts';

/** What a purge that began may have left: hashes of blobs. */
export interface Unfinished {
  blobs: string[];
}

export interface PurgePlan {
  sessions: string[];
  /** Hashes of the manifests that name a session and have no tombstone yet. */
  contexts: string[];
  /** Hashes of the manifests that go: those, and those that have one. */
  manifests: string[];
  /** Hashes of the blobs that go. */
  blobs: string[];
  /** Hashes of blobs that stay and are compressed against some that go: in the order in which they have to be stored anew. */
  dependents: string[];
  /** Ids of sessions that hold some of the same content: forks and restored copies. That stays. */
  shared_with: string[];
  /** Contexts that cannot be read: whether they hold a session is not known. */
  problems: IntegrityError[];
}

/** Chunks that no manifest names (yet): of files that are captured. */
export interface Captured {
  purged: Iterable<string>;
  kept: Iterable<[session: string, chunks: string[]]>;
}

/** Finds all that a store has of sessions and of nothing else. Reads every manifest, and of every blob its beginning. @throws StoreError */
export async function planPurge(store: BlobStore, sessions: string[], captured: Captured): Promise<PurgePlan> {
  const ids = new Set(sessions);
  const named = new Set(captured.purged);
  for (const hash of await unfinished(store)) named.add(hash);
  const kept = new Set([...captured.kept].flatMap(([, chunks]) => chunks));
  const plan: PurgePlan = {
    sessions,
    contexts: [],
    manifests: [],
    blobs: [],
    dependents: [],
    shared_with: [],
    problems: [],
  };
  for await (const { hash, tombstone, manifest } of contextsIn(store)) {
    if (manifest instanceof IntegrityError) {
      plan.problems.push(manifest);
      continue;
    }
    const isGone = ({ session_id }: ManifestSession) =>
      (tombstone?.sessions.includes(session_id) ?? false) || ids.has(session_id);
    const gone = manifest.sessions.filter(isGone);
    for (const [chunk] of gone.flatMap(chunksOf)) named.add(chunk);
    if (tombstone === null && gone.length > 0) plan.contexts.push(hash);
    if (tombstone !== null || gone.length > 0) plan.manifests.push(hash);
    // What is left of a context that has a tombstone is in another manifest.
    if (tombstone !== null) continue;
    for (const [chunk] of manifest.sessions.filter((session) => !isGone(session)).flatMap(chunksOf)) kept.add(chunk);
  }
  const doomed = new Set([...named].filter((hash) => !kept.has(hash)));
  const shared = new Set([...named].filter((hash) => kept.has(hash)));
  const bases = await basesOf(store, [...kept, ...doomed], { onDamaged: (error) => plan.problems.push(error) });
  // The last of a chain first: none loses what it is compressed against before it is stored without it.
  plan.dependents = dependentsOn(doomed, kept, bases);
  const again = new Set(plan.dependents);
  const needed = withBases(
    [...kept].filter((hash) => !again.has(hash)),
    bases,
  );
  plan.blobs = [...withBases(doomed, bases)].filter((hash) => !needed.has(hash) && !kept.has(hash) && bases.has(hash));
  if (shared.size > 0) plan.shared_with = await sharersOf(store, shared, ids, captured);
  return plan;
}

async function* contextsIn(store: BlobStore) {
  const tombstones = new Map<string, Tombstone>();
  const prefix = tombstoneKey('');
  for await (const key of store.list(prefix)) {
    const hash = key.slice(prefix.length);
    const tombstone = hash.includes('/') ? null : await readTombstone(store, key);
    if (tombstone !== null) tombstones.set(hash, tombstone);
  }
  for await (const [hash, manifest] of manifestsIn(store, await listManifests(store)))
    yield { hash, manifest, tombstone: tombstones.get(hash) ?? null };
}

async function unfinished(store: BlobStore): Promise<string[]> {
  const blobs: string[] = [];
  for await (const key of store.list(UNFINISHED)) blobs.push(...((await readRecord<Unfinished>(store, key))?.blobs ?? []));
  return blobs;
}

async function sharersOf(store: BlobStore, shared: Set<string>, purged: Set<string>, { kept }: Captured): Promise<string[]> {
  const sharers = new Set([...kept].flatMap(([session, chunks]) => (chunks.some((hash) => shared.has(hash)) ? [session] : [])));
  for await (const { manifest, tombstone } of contextsIn(store)) {
    if (manifest instanceof IntegrityError || tombstone !== null) continue;
    for (const session of manifest.sessions)
      if (chunksOf(session).some(([hash]) => shared.has(hash))) sharers.add(session.session_id);
  }
  return [...sharers].filter((id) => !purged.has(id)).sort();
}
