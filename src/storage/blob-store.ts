/**
 * Where blobs and manifests live. An adapter is a factory that returns one of these; retry, cache and encryption are
 * decorators around it, never inside.
 *
 * Keys are `blobs/<sha256>` and `manifests/<sha256>`. A value never changes once it is there, but for what `replace` does.
 */
export interface BlobStore {
  /** The store as a URL without credentials, for people to read. */
  readonly url: string;
  /** A random name given when the store was made: a store that was deleted and made anew has another one. */
  id(): Promise<string>;
  /**
   * Stores bytes under a key. Create-only and idempotent: a key that exists keeps its value and no error is raised. Atomic: a
   * reader sees the whole value or none. Durable when the promise resolves. Values put in the same tick may share a transaction.
   * @throws StoreError when the store cannot be written.
   */
  put(key: string, bytes: Buffer): Promise<void>;
  /**
   * Puts another form of the same object in place of the value that is there, when that is still `was`; else does nothing. Atomic and
   * durable. Only a store on this machine has it: what was shared never changes.
   * @throws StoreError when the store cannot be written.
   */
  replace?(key: string, was: Buffer, bytes: Buffer): Promise<void>;
  /**
   * @returns the value, or null when the key is not there.
   * @throws StoreError when the store cannot be read.
   */
  get(key: string): Promise<Buffer | null>;
  /** The keys among these that exist. */
  has(keys: string[]): Promise<Set<string>>;
  /** All keys that begin with `prefix`, in no particular order. */
  list(prefix: string): AsyncIterable<string>;
  /** Removes a key. A key that is not there is no error. */
  delete(key: string): Promise<void>;
  close(): Promise<void>;
}

export const blobKey = (hash: string): string => `blobs/${hash}`;
export const manifestKey = (hash: string): string => `manifests/${hash}`;
