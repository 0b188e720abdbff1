import { randomUUID } from 'node:crypto';
import type { BlobStore } from '../../src/storage/blob-store.ts';

/** A store that lives as long as the process: for tests, and the smallest example of an adapter. */
export function memoryStore(): BlobStore {
  const objects = new Map<string, Buffer>();
  const id = randomUUID();
  return {
    url: 'memory:',
    id: async () => id,
    put: async (key, bytes) => {
      if (!objects.has(key)) objects.set(key, Buffer.from(bytes));
    },
    replace: async (key, was, bytes) => {
      if (objects.get(key)?.equals(was)) objects.set(key, Buffer.from(bytes));
    },
    get: async (key) => {
      const bytes = objects.get(key);
      return bytes === undefined ? null : Buffer.from(bytes);
    },
    has: async (keys) => new Set(keys.filter((key) => objects.has(key))),
    async *list(prefix) {
      for (const key of objects.keys()) if (key.startsWith(prefix)) yield key;
    },
    delete: async (key) => {
      objects.delete(key);
    },
    close: async () => {},
  };
}
