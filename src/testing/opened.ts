import type { BlobStore } from '../storage/blob-store.ts';

/** A new, empty store that was opened to be judged. */
export interface Opened {
  store: BlobStore | Promise<BlobStore>;
  /** Opens the same store a second time, as another process on another machine would, while the first may still be open. */
  reopen: () => BlobStore | Promise<BlobStore>;
  /** Removes what is left of the store. Called when all that was opened is closed. */
  remove?: () => unknown;
}

export type Open = () => Opened | Promise<Opened>;
