import type { Manifest } from '../core/manifest.ts';
import { ATTRIBUTES_PATH } from '../core/snapshot.ts';
import { IntegrityError } from '../errors.ts';
import { type Head, type Repository, wasCommitted } from '../git/repository.ts';
import { removeSnapshotFile } from '../git/snapshot-folder.ts';
import { indexesInPlay, pathsInTree, updateIndexes } from '../git/staging.ts';
import type { ContextStore } from '../storage/context-store.ts';
import type { Pending } from '../storage/local-state.ts';

/**
 * The context that an aborted commit left behind, which waits for the next one; null when it was committed. `post-commit` may not have noted
 * that yet, and HEAD may have gone elsewhere since: then the path is in the index only because a squash or a pick brought it there.
 */
export async function stillPending(pending: Pending | null, head: Head | null, top: string): Promise<Pending | null> {
  if (pending === null || head === null) return pending;
  if ((await pathsInTree(head.commit, [pending.path], top)).size > 0) return null;
  return (await wasCommitted(pending.path, top)) ? null : pending;
}

/** What an aborted commit may have left in the index and the work tree: none of it is the person's. */
export async function leftBy(pending: Pending, head: Head | null, top: string): Promise<string[]> {
  const ownAttributes = head !== null && (await pathsInTree(head.commit, [ATTRIBUTES_PATH], top)).size > 0;
  return ownAttributes ? [pending.path] : [pending.path, ATTRIBUTES_PATH];
}

/** The context that an aborted commit left behind, to be used once more; null when the store has lost it. */
export async function readAgain(
  { context_id, path }: Pending,
  store: ContextStore,
): Promise<{ manifest: Manifest; hash: string; path: string } | null> {
  const hash = context_id.slice('ctx-'.length);
  try {
    return { manifest: await store.readManifest(hash), hash, path };
  } catch (error) {
    if (error instanceof IntegrityError) return null;
    throw error;
  }
}

/** Takes what an aborted commit left out of the index and the work tree. */
export async function unstage(left: string[], repository: Repository): Promise<void> {
  if (left.length === 0) return;
  await updateIndexes(indexesInPlay(repository), repository.top, [], left);
  for (const path of left) removeSnapshotFile(repository.top, path);
}
