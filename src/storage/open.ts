import { join } from 'node:path';
import { sqliteStore } from '../../storage-adapters/sqlite/index.ts';
import { UserError } from '../errors.ts';
import type { BlobStore } from './blob-store.ts';
import { type ContextStore, contextStore } from './context-store.ts';
import { type LocalState, openLocalState } from './local-state.ts';
import { registerUser } from './users.ts';

/** The store of contexts and the local state of a repository, open. */
export interface OpenStores<P> {
  blobs: BlobStore;
  /** The store that the team shares; null where there is none, or none was asked for. */
  remote: BlobStore | null;
  contexts: ContextStore;
  state: LocalState<P>;
  /** Where the embedded store and the repository are. */
  dataDir: string;
  commonDir: string;
  close(): Promise<void>;
}

/**
 * Opens the embedded store and the local state.
 * @param dataDir folder of the store, null when there is no home.
 * @param timeout how long to wait for another process's lock, milliseconds.
 * @param remote the team's store, from which is read what is not on this machine; closed with the others.
 * @throws StoreError, UserError
 */
export async function openStores<P>(
  { dataDir, commonDir }: { dataDir: string | null; commonDir: string },
  timeout = 5000,
  remote: BlobStore | null = null,
): Promise<OpenStores<P>> {
  if (dataDir === null)
    throw new UserError('There is no home directory to keep the store in.', 'Set CC_CONTEXT_HOME to a folder of yours.');
  const blobs = sqliteStore({ path: join(dataDir, 'store.db'), timeout });
  const state = openLocalState<P>(commonDir, await blobs.id(), timeout);
  await registerUser(blobs, commonDir);
  return {
    dataDir,
    commonDir,
    blobs,
    remote,
    contexts: contextStore(blobs, remote),
    state,
    close: async () => {
      state.close();
      await blobs.close();
      await remote?.close();
    },
  };
}
