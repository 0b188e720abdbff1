import type { BlobStore } from '../../../src/storage/blob-store.ts';

/** What a broken rule may need: a handle of a store that breaks none, the objects behind all handles, and notes that they share. */
export interface Parts {
  store: BlobStore;
  objects: Map<string, Buffer>;
  notes: Map<string, unknown>;
}

/** A rule that a store breaks, what the check says that finds it, and the methods that it breaks it with. */
export type Mutant = [rule: string, says: RegExp, breaks: (parts: Parts) => Partial<BlobStore>];

/** By the check that has to find them. */
export type Mutants = Record<string, Mutant[]>;

export const never = (): Promise<never> => new Promise(() => {});

/** Gives something else than is there. */
export const getting = (store: BlobStore, change: (bytes: Buffer) => unknown): Partial<BlobStore> => ({
  get: async (key) => {
    const bytes = await store.get(key);
    return bytes === null ? null : (change(bytes) as Buffer);
  },
});

/** Puts something else than is given. */
export const putting = (store: BlobStore, change: (bytes: Buffer) => Buffer): Partial<BlobStore> => ({
  put: (key, bytes) => store.put(key, change(bytes)),
});

/** Lists something else than there is. */
export const listing = (store: BlobStore, change: (keys: string[], prefix: string) => string[]): Partial<BlobStore> => ({
  async *list(prefix) {
    yield* change((await Array.fromAsync(store.list(''))).sort(), prefix);
  },
});

/** Takes two characters of keys as one. */
export const confusing = (store: BlobStore, one: string, other: string): Partial<BlobStore> => {
  const named = (key: string) => key.replaceAll(one, other);
  return { put: (key, bytes) => store.put(named(key), bytes), get: (key) => store.get(named(key)) };
};

/** Breaks a rule once it was closed. */
export const afterClose = <Name extends keyof BlobStore>(
  store: BlobStore,
  name: Name,
  broken: () => unknown,
): Partial<BlobStore> => {
  let closed = false;
  const whole = store[name] as (...values: unknown[]) => unknown;
  return {
    [name]: (...values: unknown[]) => (closed ? broken() : whole(...values)),
    close: async () => {
      closed = true;
    },
  };
};

export const notOpen = (): never => {
  throw new Error('The database is not open.');
};
