import { StoreError, UserError } from '../errors.ts';
import type { BlobStore } from './blob-store.ts';

/** Makes whatever goes wrong in somebody else's adapter a StoreError that names the store. */
export function toldStore(store: BlobStore): BlobStore {
  const told = async <T>(work: () => Promise<T>): Promise<T> => {
    try {
      return await work();
    } catch (cause) {
      throw storeError(store.url, cause);
    }
  };
  return {
    url: store.url,
    id: () => told(() => store.id()),
    put: (key, bytes) => told(() => store.put(key, bytes)),
    get: (key) =>
      told(async () => {
        const bytes = await store.get(key);
        return bytes === null || Buffer.isBuffer(bytes) ? bytes : Buffer.from(bytes);
      }),
    has: (keys) => told(() => store.has(keys)),
    async *list(prefix) {
      try {
        yield* store.list(prefix);
      } catch (cause) {
        throw storeError(store.url, cause);
      }
    },
    delete: (key) => told(() => store.delete(key)),
    close: () => told(() => store.close()),
  };
}

function storeError(url: string, cause: unknown): Error {
  if (cause instanceof UserError) return cause;
  const what = (cause instanceof Error ? cause.message : String(cause)).replace(/\.$/, '');
  return new StoreError(`The store ${url} failed: ${what}.`, 'Try again, or see to the adapter.', { cause });
}
