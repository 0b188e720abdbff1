/**
 * Where blobs and manifests live. An adapter is a factory that returns one of these; retry, cache and encryption are
 * decorators around it, never inside. docs/adapters.md explains it to those who write one.
 *
 * Keys are `blobs/<sha256>`, `manifests/<sha256>` and others like them: two or more parts with `/` between, each of small letters, digits, `-`,
 * `_` and `.`, with a letter or digit first; at most 100 characters a part and 200 in all. No key is the folder of another one.
 * A value never changes once it is there, but for what `replace` does.
 *
 * What goes wrong is a rejection, never a throw: in cc-context with a StoreError, in a package of its own with any Error (see AdapterError).
 */
export interface BlobStore {
  /** True where only holders of the team's key can have written what is read: an encrypted store. */
  readonly authenticated?: boolean;
  /** The store as a URL without credentials, for people to read. */
  readonly url: string;
  /**
   * A random name given when the store was made, of 8 to 100 letters, digits, `-` and `_`; the same for all who open it. A store that was
   * deleted and made anew has another one. It is none of the keys.
   */
  id(): Promise<string>;
  /**
   * Stores bytes under a key. Create-only and idempotent: a key that exists keeps its value and no error is raised. Atomic: a
   * reader sees the whole value or none. Durable when the promise resolves. Values put in the same tick may share a transaction.
   * @throws when the store cannot be written.
   */
  put(key: string, bytes: Buffer): Promise<void>;
  /**
   * Puts another form of the same object in place of the value that is there, when that is still `was`; else does nothing. Atomic and
   * durable. Only a store on this machine has it: what was shared never changes.
   * @throws when the store cannot be written.
   */
  replace?(key: string, was: Buffer, bytes: Buffer): Promise<void>;
  /**
   * @returns the value, or null when the key is not there.
   * @throws when the store cannot be read; a store that is out of reach is no empty store.
   */
  get(key: string): Promise<Buffer | null>;
  /** The keys among these that exist; there may be thousands of them, or none. @throws when the store cannot be read. */
  has(keys: string[]): Promise<Set<string>>;
  /** All keys that begin with `prefix`, each once, in no particular order. The prefix need not end at a `/`; '' lists all. */
  list(prefix: string): AsyncIterable<string>;
  /** As `list`, with what the store knows of each. A store without it is asked less well: `entriesOf` says what stands in for it. */
  entries?(prefix: string): AsyncIterable<Entry>;
  /** The first `length` bytes of a value, or all of it where it is shorter. A store without it is asked for the whole. */
  peek?(key: string, length: number): Promise<Buffer | null>;
  /** Removes a key. A key that is not there is no error. */
  delete(key: string): Promise<void>;
  /** Gives back the space of what was deleted: nothing of that can be read from the disk afterwards. Only a store on this machine needs it. */
  compact?(): Promise<void>;
  /** Lets what is being put come to its end, and gives up what is held. To close twice is harmless. */
  close(): Promise<void>;
}

export const blobKey = (hash: string): string => `blobs/${hash}`;
export const manifestKey = (hash: string): string => `manifests/${hash}`;

/** A key and what a store knows of its value. */
export interface Entry {
  key: string;
  /** Length of the value in bytes; null when the store does not tell. */
  bytes: number | null;
  /** When it was put, milliseconds since 1970; null when the store does not tell. */
  modified: number | null;
}

/** The entries of a store; nothing but the keys where it knows no more. */
export async function* entriesOf(store: BlobStore, prefix: string): AsyncGenerator<Entry> {
  if (store.entries !== undefined) yield* store.entries(prefix);
  else for await (const key of store.list(prefix)) yield { key, bytes: null, modified: null };
}

/** The beginning of a value, at least `length` bytes where it has so many. */
export async function peekAt(store: BlobStore, key: string, length: number): Promise<Buffer | null> {
  return store.peek === undefined ? await store.get(key) : await store.peek(key, length);
}
