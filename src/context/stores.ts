import type { Progress } from '../capture/read-file.ts';
import { dataDir } from '../config/settings.ts';
import { readSharedStore, type SharedStore } from '../config/shared-store.ts';
import type { ManifestSession } from '../core/manifest.ts';
import { IntegrityError } from '../errors.ts';
import { openRepository, type Repository } from '../git/repository.ts';
import { messages } from '../messages.ts';
import type { BlobStore } from '../storage/blob-store.ts';
import type { ContextStore } from '../storage/context-store.ts';
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

/** The team's store, opened when it is needed. Before the person has agreed to it nothing is sent to it and nothing asked of it. */
export function remoteOf(shared: SharedStore, { top }: Repository): BlobStore {
  return lazyStore(shared.url, async () => {
    if (!shared.trusted) throw new IntegrityError(...messages.notTrusted(shared.url)); // as good as missing
    return await openSharedStore(shared.url, top);
  });
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
    const sessions = session === undefined ? all : [selectSession(all, session)];
    return await work({ repository, found, sessions, store: stores.contexts, stores });
  });
}
