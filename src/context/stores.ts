import type { Progress } from '../capture/read-file.ts';
import { dataDir } from '../config/settings.ts';
import { noteEncrypted, readSharedStore, type SharedStore } from '../config/shared-store.ts';
import { inUse, readTeamKeys } from '../config/team-keys.ts';
import type { ManifestSession } from '../core/manifest.ts';
import type { Snapshot } from '../core/snapshot.ts';
import { purgedSentence, type Tombstone } from '../core/tombstone.ts';
import { IntegrityError, Purged } from '../errors.ts';
import { openRepository, type Repository } from '../git/repository.ts';
import { messages } from '../messages.ts';
import type { BlobStore } from '../storage/blob-store.ts';
import type { ContextStore } from '../storage/context-store.ts';
import { encryptedStore } from '../storage/encrypted-store.ts';
import { lazyStore } from '../storage/lazy-store.ts';
import { type OpenStores, openStores } from '../storage/open.ts';
import { openSharedStore } from '../storage/registry.ts';
import { type CommitContexts, namedContexts } from './of-commits.ts';
import { selectSession, sessionsOf } from './sessions.ts';

/**
 * Opens the stores of a repository for some work, and closes them whatever happens. What is not on this machine is read from the team's.
 * @throws StoreError, UserError
 */
export async function withStores<T>(repository: Repository, work: (stores: OpenStores<Progress>) => Promise<T>): Promise<T> {
  const shared = await readSharedStore(repository);
  const remote = shared === null ? null : remoteOf(shared, repository);
  const stores = await openStores<Progress>({ dataDir: dataDir(), commonDir: repository.commonDir }, 5000, remote);
  try {
    return await work(stores);
  } finally {
    await stores.close();
  }
}

/**
 * The team's store, opened when it is needed, with encryption around it where that is on. Before the person has agreed to it nothing is sent
 * to it and nothing asked of it.
 */
export function remoteOf(shared: SharedStore, repository: Repository): BlobStore {
  return lazyStore(shared.url, () => openTeamStore(shared, repository));
}

/** The same, opened at once: with all that its adapter can do. @throws UserError, StoreError */
export async function openTeamStore(shared: SharedStore, repository: Repository): Promise<BlobStore> {
  if (!shared.trusted) throw new IntegrityError(...messages.notTrusted(shared.url)); // as good as missing
  if (shared.encryption === null) return await openSharedStore(shared.url, repository.top);
  const keys = inUse(await readTeamKeys(repository, shared.encryption));
  await noteEncrypted(repository, shared);
  return encryptedStore(await openSharedStore(shared.url, repository.top), keys);
}

/** A context that somebody named, with the stores that it is read from. */
export interface OpenContext {
  repository: Repository;
  found: CommitContexts;
  /** All sessions of it, or the one that was asked for. */
  sessions: ManifestSession[];
  store: ContextStore;
  stores: OpenStores<Progress>;
}

/** Opens a context by a commit or its id. @throws UserError, IntegrityError */
export async function withContext<T>(
  { cwd, name, session }: { cwd: string; name: string; session?: string | undefined },
  work: (context: OpenContext) => Promise<T>,
): Promise<T> {
  const repository = await openRepository(cwd);
  const found = await namedContexts(name, repository.top);
  return await withStores(repository, async (stores) => {
    const all = await sessionsOf(found.contexts, stores.contexts);
    const purges = await purgesOf(found.contexts, stores.contexts);
    const gone = session === undefined ? undefined : purges.find(({ sessions }) => sessions.some((id) => id.startsWith(session)));
    if (gone !== undefined) throw new Purged(purgedSentence(gone), 'See what is left of it with: cc-show');
    const sessions = session === undefined ? all : [selectSession(all, session)];
    const problems = [...found.problems, ...purges.map(purgedSentence)];
    return await work({ repository, found: { ...found, problems }, sessions, store: stores.contexts, stores });
  });
}

/** What was purged of contexts, each purge once. */
async function purgesOf(contexts: Snapshot[], store: ContextStore): Promise<Tombstone[]> {
  const all = (await Promise.all(contexts.map(({ manifest_hash }) => store.purges(manifest_hash)))).flat();
  return [...new Map(all.map((one) => [purgedSentence(one), one])).values()];
}
