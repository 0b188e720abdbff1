import type { Progress } from '../capture/read-file.ts';
import type { SharedStore } from '../config/shared-store.ts';
import { isRemoval, openRecord, type Removal } from '../core/tombstone.ts';
import type { BlobStore } from '../storage/blob-store.ts';
import type { OpenStores } from '../storage/open.ts';
import { entomb, refuseSessions } from '../storage/purge.ts';
import { planPurge } from '../storage/purge-plan.ts';
import { putRecord, REMOVALS, readTombstone, tombstoneKey } from '../storage/removals.ts';
import type { UploadLog } from '../storage/upload.ts';
import { capturedOf, namedByGit, needsOfAll } from './needs.ts';

/** What this repository learned of a store that its team shares. */
export interface News {
  /** True when something was removed since it last looked: what is there has to be asked anew. */
  removed: boolean;
  /** Purges that this machine did not know of. */
  purges: Removal[];
}

/**
 * Looks what was removed from the team's store since this repository last looked, and follows: what was purged is not read, captured or
 * uploaded from here any more. Removes nothing on this machine: `purge` and `gc` do. One request, where there is nothing new.
 * @throws StoreError, UserError
 */
export async function honourRemovals(
  stores: OpenStores<Progress>,
  remote: BlobStore,
  { fingerprint }: Pick<SharedStore, 'fingerprint'>,
): Promise<News> {
  const { state, contexts, commonDir } = stores;
  const log = state.uploads(fingerprint);
  const unseen = await unseenIn(remote, log);
  const news: News = { removed: unseen.length > 0, purges: [] };
  if (!news.removed) return news;
  for (const key of unseen) {
    const bytes = await remote.get(key);
    const record = bytes === null ? null : openRecord<object>(key, bytes);
    if (record === null || !isRemoval(record)) continue; // that something was removed is all that it says
    const known = await contexts.purgedSessions(record.sessions);
    const sessions = record.sessions.filter((id) => !known.has(id));
    if (sessions.length === 0) continue;
    await follow(stores, remote, { ...record, sessions });
    news.purges.push(record);
  }
  // What no commit names any more is not to be uploaded once more.
  const named = await namedByGit(commonDir);
  const owned = state.ownedContexts().filter(({ git_commit }) => git_commit !== null);
  state.disown(owned.map(({ context_id }) => context_id).filter((id) => !named.has(id.slice('ctx-'.length))));
  log.forget();
  log.add(unseen);
  return news;
}

/** Whether something was removed from the team's store that this repository does not know of. */
export async function isNews(remote: BlobStore, log: UploadLog): Promise<boolean> {
  return (await unseenIn(remote, log)).length > 0;
}

/** Keys of what was removed and is not known here. */
async function unseenIn(remote: BlobStore, log: UploadLog): Promise<string[]> {
  return log.missing(await Array.fromAsync(remote.list(REMOVALS)));
}

async function follow(stores: OpenStores<Progress>, remote: BlobStore, removal: Removal): Promise<void> {
  const { blobs, state } = stores;
  const plan = await planPurge(blobs, removal.sessions, capturedOf(await needsOfAll(stores), removal.sessions));
  await entomb(blobs, plan, removal);
  const own = new Set(state.ownedContexts().map(({ context_id }) => context_id));
  for (const hash of plan.contexts) {
    const tombstone = await readTombstone(blobs, tombstoneKey(hash));
    // A context that nobody uploaded: whoever clones the commit is to find out why it is not there.
    if (tombstone?.replacement === null && own.has(`ctx-${hash}`)) await putRecord(remote, tombstoneKey(hash), tombstone);
  }
  await refuseSessions(blobs, removal);
  for (const id of removal.sessions) state.forgetSession(id, plan.blobs);
}
