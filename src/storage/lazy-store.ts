import type { BlobStore } from './blob-store.ts';

/** A store that is opened when it is first used: what is on this machine needs no network, and no library for it. */
export function lazyStore(url: string, open: () => Promise<BlobStore>, authenticated = false): BlobStore {
  let opened: Promise<BlobStore> | undefined;
  const store = () => (opened ??= open());
  return {
    url,
    authenticated,
    id: async () => (await store()).id(),
    put: async (key, bytes) => (await store()).put(key, bytes),
    get: async (key) => (await store()).get(key),
    has: async (keys) => (await store()).has(keys),
    async *list(prefix) {
      yield* (await store()).list(prefix);
    },
    delete: async (key) => (await store()).delete(key),
    close: async () => {
      const open = await opened?.catch(() => null); // that it could not be opened was told to whoever used it
      await open?.close();
    },
  };
}
