import type { AdapterError, OpenStore } from '../adapter.ts';
import { StoreError, StoreUnavailable, UserError } from '../errors.ts';
import type { BlobStore } from './blob-store.ts';

const METHODS = ['id', 'put', 'get', 'has', 'list', 'delete', 'close'] as const;
/** Milliseconds without an answer after which a call counts as failed. */
const LONGEST = 120_000;

/**
 * Opens a store with somebody else's adapter. Whatever goes wrong in it is a StoreError that names the store, a StoreUnavailable where the
 * adapter says that the call may work later; what it hangs in ends.
 * @param longest milliseconds that a call may take.
 * @throws StoreError
 */
export async function openToldStore(open: OpenStore, url: string, longest = LONGEST): Promise<BlobStore> {
  const store = await told(url, longest, async () => await open(url));
  const missing = METHODS.filter((name) => typeof (store as Partial<BlobStore> | null)?.[name] !== 'function');
  if (missing.length > 0)
    throw new StoreError(`What the adapter of ${url} opens is no store: it has no ${missing.join(', ')}.`, SEE_TO_IT);
  return toldStore(store, typeof store.url === 'string' ? store.url : url, longest);
}

function toldStore(store: BlobStore, url: string, longest: number): BlobStore {
  const call = <T>(work: () => Promise<T>) => told(url, longest, work);
  async function* listing<T>(list: () => AsyncIterable<T>): AsyncGenerator<T> {
    const items = await call(async () => list()[Symbol.asyncIterator]());
    try {
      for (let next = await call(() => items.next()); next.done !== true; next = await call(() => items.next())) yield next.value;
    } finally {
      items.return?.().catch(() => {}); // nobody waits for the rest of it
    }
  }
  return {
    url,
    id: () => call(() => store.id()),
    put: (key, bytes) => call(() => store.put(key, bytes)),
    get: (key) => call(async () => bufferOf(await store.get(key))),
    has: (keys) => call(() => store.has(keys)),
    list: (prefix) => listing(() => store.list(prefix)),
    ...(store.entries !== undefined && { entries: (prefix) => listing(() => store.entries!(prefix)) }),
    ...(store.peek !== undefined && {
      peek: (key, length) => call(async () => bufferOf(await store.peek!(key, length))),
    }),
    delete: (key) => call(() => store.delete(key)),
    close: () => call(() => store.close()),
  };
}

async function told<T>(url: string, longest: number, work: () => Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    const error = new StoreUnavailable(`The store ${url} gave no answer within ${longest / 1000} s.`, 'Try again later.');
    timer = setTimeout(() => reject(error), longest);
  });
  try {
    return await Promise.race([work(), late]);
  } catch (cause) {
    throw storeError(url, cause);
  } finally {
    clearTimeout(timer);
  }
}

const bufferOf = (bytes: Uint8Array | null): Buffer | null =>
  bytes === null || Buffer.isBuffer(bytes) ? bytes : Buffer.from(bytes);

const SEE_TO_IT = 'Try again, or see to the adapter.';

function storeError(url: string, cause: unknown): Error {
  if (cause instanceof UserError) return cause;
  const { next, retryable } = (cause ?? {}) as Partial<AdapterError>;
  const what = (cause instanceof Error ? cause.message : String(cause)).replace(/\.$/, '');
  const Kind = retryable === true ? StoreUnavailable : StoreError;
  return new Kind(`The store ${url} failed: ${what}.`, typeof next === 'string' && next !== '' ? next : SEE_TO_IT, { cause });
}
