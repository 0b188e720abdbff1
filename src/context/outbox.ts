import type { Progress } from '../capture/read-file.ts';
import type { SharedStore } from '../config/shared-store.ts';
import type { IntegrityError } from '../errors.ts';
import { manifestKey } from '../storage/blob-store.ts';
import type { OpenStores } from '../storage/open.ts';
import { tombstoneKey } from '../storage/removals.ts';
import { RemovedMeanwhile, type UploadProgress, upload } from '../storage/upload.ts';
import { honourRemovals, isNews } from './honour.ts';

/** The hashes of the manifests that commits made here own and that are not known to be in the team's store. */
export function waiting({ state }: Pick<OpenStores<Progress>, 'state'>, shared: SharedStore): string[] {
  const committed = state.ownedContexts().filter(({ git_commit }) => git_commit !== null);
  const hashes = new Map(committed.map(({ context_id }) => [manifestKey(hashOf(context_id)), hashOf(context_id)]));
  return state
    .uploads(shared.fingerprint)
    .missing([...hashes.keys()])
    .map((key) => hashes.get(key) as string);
}

/** Those of these manifests (by their hashes) that are on this machine, or what was purged of them, and not known to be in the team's store. */
export async function unsent(
  hashes: string[],
  { blobs, state }: Pick<OpenStores<Progress>, 'blobs' | 'state'>,
  shared: SharedStore,
): Promise<string[]> {
  const missing = new Set(state.uploads(shared.fingerprint).missing(hashes.map(manifestKey)));
  const wanted = hashes.filter((hash) => missing.has(manifestKey(hash)));
  const here = await blobs.has(wanted.flatMap((hash) => [manifestKey(hash), tombstoneKey(hash)]));
  return wanted.filter((hash) => here.has(manifestKey(hash)) || here.has(tombstoneKey(hash)));
}

/**
 * Uploads contexts to the team's store. Where something was removed from that, all that waits is looked at anew.
 * @param manifests hashes of their manifests.
 * @returns what is wrong with those that are not whole on this machine.
 * @throws StoreError, UserError
 */
export async function send(
  manifests: string[],
  stores: OpenStores<Progress>,
  shared: SharedStore,
  onProgress?: (progress: UploadProgress) => void,
): Promise<IntegrityError[]> {
  const { blobs, remote, state } = stores;
  if (remote === null || manifests.length === 0) return [];
  const log = state.uploads(shared.fingerprint);
  const isStale = async () => await isNews(remote, log);
  for (let all = manifests; ; ) {
    const { removed } = await honourRemovals(stores, remote, shared);
    if (removed) all = [...new Set([...all, ...waiting(stores, shared)])];
    try {
      return await upload(all, { local: blobs, remote, log, isStale, ...(onProgress === undefined ? {} : { onProgress }) });
    } catch (error) {
      if (!(error instanceof RemovedMeanwhile)) throw error;
    }
  }
}

/** A context's id names its manifest. */
function hashOf(contextId: string): string {
  return contextId.slice('ctx-'.length);
}
