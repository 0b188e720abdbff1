import { type BlobStore, blobKey } from './blob-store.ts';
import { getBlob } from './spare.ts';

/** Objects that are fetched at the same time. */
const AT_ONCE = 8;

const BLOBS = blobKey('');

/** Reads objects from the store on this machine and, those that it does not have, from the team's. */
export interface ReadThrough {
  /** @throws StoreError */
  get(key: string): Promise<Buffer | null>;
  /** Begins to fetch those of these that are not on this machine, a few at a time: they will be asked for in this order. */
  fetchAhead(keys: string[]): Promise<void>;
  /** Keeps an object on this machine that was fetched and has been found to be what its name says. */
  verified(key: string): Promise<void>;
}

/** @param remote the team's store, null where there is none. */
export function readThrough(local: BlobStore, remote: BlobStore | null): ReadThrough {
  const fetched = new Map<string, Buffer>();
  const underway = new Map<string, Promise<Buffer | null>>();
  let ahead: string[] = [];

  const fetch = (key: string): Promise<Buffer | null> => {
    const known = underway.get(key);
    if (known !== undefined || remote === null) return known ?? Promise.resolve(null);
    const fetching = key.startsWith(BLOBS) ? getBlob(remote, key.slice(BLOBS.length)) : remote.get(key);
    fetching.catch(() => {}); // told by whoever asks for it
    underway.set(key, fetching);
    return fetching;
  };
  const fetchMore = () => {
    while (underway.size < AT_ONCE && ahead.length > 0) fetch(ahead.shift() as string);
  };

  return {
    async get(key) {
      const here = await local.get(key);
      if (here !== null || remote === null) return here;
      const bytes = await fetch(key);
      underway.delete(key);
      fetchMore();
      if (bytes !== null) fetched.set(key, bytes);
      return bytes;
    },
    async fetchAhead(keys) {
      if (remote === null) return;
      const here = await local.has(keys);
      ahead = keys.filter((key) => !here.has(key));
      fetchMore();
    },
    async verified(key) {
      const bytes = fetched.get(key);
      if (bytes === undefined) return;
      fetched.delete(key);
      await local.put(key, bytes);
    },
  };
}
