import type { Progress } from '../capture/read-file.ts';
import type { SharedStore } from '../config/shared-store.ts';
import type { IntegrityError } from '../errors.ts';
import { manifestKey } from '../storage/blob-store.ts';
import type { OpenStores } from '../storage/open.ts';
import { type UploadProgress, upload } from '../storage/upload.ts';

/** The hashes of the manifests that commits made here own and that are not known to be in the team's store. */
export function waiting({ state }: Pick<OpenStores<Progress>, 'state'>, shared: SharedStore): string[] {
  const committed = state.ownedContexts().filter(({ git_commit }) => git_commit !== null);
  const hashes = new Map(committed.map(({ context_id }) => [manifestKey(hashOf(context_id)), hashOf(context_id)]));
  return state
    .uploads(shared.fingerprint)
    .missing([...hashes.keys()])
    .map((key) => hashes.get(key) as string);
}

/**
 * Uploads contexts to the team's store.
 * @param manifests hashes of their manifests.
 * @returns what is wrong with those that are not whole on this machine.
 * @throws StoreError, UserError
 */
export async function send(
  manifests: string[],
  { blobs, remote, state }: OpenStores<Progress>,
  shared: SharedStore,
  onProgress?: (progress: UploadProgress) => void,
): Promise<IntegrityError[]> {
  if (remote === null || manifests.length === 0) return [];
  const log = state.uploads(shared.fingerprint);
  return await upload(manifests, { local: blobs, remote, log, ...(onProgress === undefined ? {} : { onProgress }) });
}

/** A context's id names its manifest. */
function hashOf(contextId: string): string {
  return contextId.slice('ctx-'.length);
}
