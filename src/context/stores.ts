import type { Progress } from '../capture/read-file.ts';
import { dataDir } from '../config/settings.ts';
import { noteEncrypted, readSharedStore, type SharedStore } from '../config/shared-store.ts';
import { inUse, readTeamKeys } from '../config/team-keys.ts';
import type { ManifestSession } from '../core/manifest.ts';
import type { Snapshot } from '../core/snapshot.ts';
import { purgedSentence, type Tombstone } from '../core/tombstone.ts';
import { IntegrityError, Purged, UserError } from '../errors.ts';
import { openRepository, type Repository } from '../git/repository.ts';
import { isTracked } from '../git/staging.ts';
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
  const remote = await remoteFor(repository);
  const stores = await openStores<Progress>({ dataDir: dataDir(), commonDir: repository.commonDir }, 5000, remote);
  try {
    return await work(stores);
  } finally {
    await stores.close();
  }
}

/** The team's store of a repository. Settings that are not understood are told to whoever needs it: what is on this machine stays readable. */
async function remoteFor(repository: Repository): Promise<BlobStore | null> {
  try {
    const shared = await readSharedStore(repository);
    return shared === null ? null : remoteOf(shared, repository);
  } catch (error) {
    if (!(error instanceof UserError)) throw error;
    return lazyStore('(settings that are not understood)', () => Promise.reject(error));
  }
}

/**
 * The team's store, opened when it is needed, with encryption around it where that is on. Before the person has agreed to it nothing is sent
 * to it and nothing asked of it.
 */
export function remoteOf(shared: SharedStore, repository: Repository): BlobStore {
  return lazyStore(shared.url, () => openTeamStore(shared, repository), shared.encryption !== null);
}

/** The same, opened at once: with all that its adapter can do. @throws UserError, StoreError */
export async function openTeamStore(shared: SharedStore, repository: Repository): Promise<BlobStore> {
  if (!shared.trusted) throw new IntegrityError(...messages.notTrusted(shared.url)); // as good as missing
  if (shared.encryption === null) return await openStoreOf(shared.url, repository);
  const keys = inUse(await readTeamKeys(repository, shared.encryption));
  await noteEncrypted(repository, shared);
  return encryptedStore(await openStoreOf(shared.url, repository), keys);
}

/** Opens a store by its URL, as a repository names it. @throws UserError, StoreError */
export async function openStoreOf(url: string, { top }: Repository): Promise<BlobStore> {
  return await openSharedStore(url, top, (path) => isTracked(path, top));
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
