import { seal } from '../core/envelope.ts';
import { sha256 } from '../core/hash.ts';
import { type Manifest, manifestBytes } from '../core/manifest.ts';
import type { Removal, Tombstone } from '../core/tombstone.ts';
import { IntegrityError } from '../errors.ts';
import { each } from './ahead.ts';
import { type BlobStore, blobKey, manifestKey } from './blob-store.ts';
import { BadObject, chainReader } from './chains.ts';
import { manifestsIn } from './manifests-in.ts';
import type { PurgePlan, Unfinished } from './purge-plan.ts';
import { putRecord, sessionTombstoneKey, tombstoneKey, UNFINISHED } from './removals.ts';
import { finishSpares, getBlob, putAnew } from './spare.ts';

/**
 * Makes contexts of a store stand without the sessions that are purged, so that these can be taken away: blobs that stay no longer need
 * others that go, what is left of each context has a manifest of its own, and a tombstone says so. Removes nothing. Killed anywhere and
 * done again it goes on.
 * @returns blobs that could not be read before, and cannot be after.
 */
export async function entomb(store: BlobStore, plan: PurgePlan, removal: Removal): Promise<IntegrityError[]> {
  const problems: IntegrityError[] = [];
  await finishSpares(store);
  const reader = chainReader((hash) => getBlob(store, hash));
  for (const hash of plan.dependents) {
    const was = await getBlob(store, hash);
    if (was === null) continue;
    try {
      await putAnew(store, hash, was, await seal(Buffer.from(await reader.read(hash, was)), null));
    } catch (error) {
      if (!(error instanceof BadObject)) throw error;
      problems.push(error);
    }
  }
  for await (const [hash, manifest] of manifestsIn(store, plan.contexts)) {
    if (manifest instanceof IntegrityError) continue; // told with the plan
    const tombstone = { ...removal, ...(await putRest(store, manifest, new Set(plan.sessions))) } satisfies Tombstone;
    await putRecord(store, tombstoneKey(hash), tombstone);
  }
  return problems;
}

/** Stores the manifest of what is left of a context. */
async function putRest(
  store: BlobStore,
  manifest: Manifest,
  purged: Set<string>,
): Promise<Pick<Tombstone, 'sessions' | 'replacement'>> {
  const sessions = manifest.sessions.filter(({ session_id }) => !purged.has(session_id));
  const gone = manifest.sessions.map(({ session_id }) => session_id).filter((id) => purged.has(id));
  if (sessions.length === 0) return { sessions: gone, replacement: null };
  const bytes = manifestBytes({ ...manifest, sessions });
  const replacement = sha256(bytes);
  await store.put(manifestKey(replacement), await seal(bytes, null));
  return { sessions: gone, replacement };
}

/** Sessions that are not to be captured into a store any more. */
export async function refuseSessions(store: BlobStore, removal: Removal): Promise<void> {
  for (const id of removal.sessions)
    await putRecord(store, sessionTombstoneKey(id), { ...removal, replacement: null } satisfies Tombstone);
}

/** Takes away what `entomb` has made superfluous: manifests first, so that nobody finds one whose blobs are gone. */
export async function removePurged(store: BlobStore, { sessions, manifests, blobs }: PurgePlan): Promise<void> {
  // The blobs of a manifest that is gone are not known any more: should this end halfway, whoever goes on finds them here.
  const key = `${UNFINISHED}${sha256([...sessions, ...blobs].join('\n'))}`;
  if (blobs.length > 0) await putRecord(store, key, { blobs } satisfies Unfinished);
  await each(manifests, (hash) => store.delete(manifestKey(hash)));
  await each(blobs, (hash) => store.delete(blobKey(hash)));
  for await (const left of store.list(UNFINISHED)) await store.delete(left);
  if (manifests.length + blobs.length > 0) await store.compact?.();
}
