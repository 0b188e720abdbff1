import { StoreBusy, StoreUnavailable } from '../errors.ts';
import type { BlobStore } from './blob-store.ts';

export interface RetryOptions {
  /** How often a call is tried at most, the first time included; 4 by default. */
  attempts?: number;
  /** Milliseconds: the wait before the second try is up to this long, before each further one up to twice as long as before; 200 by default. */
  baseDelay?: number;
  /** Milliseconds from the start of a call, or from the last key of a list: no try begins later; 60,000 by default. */
  deadline?: number;
  /** For tests. */
  clock?: Clock;
}

export interface Clock {
  now(): number;
  sleep(milliseconds: number): Promise<void>;
  /** 0 to 1. */
  random(): number;
}

const realClock: Clock = {
  now: () => performance.now(),
  sleep: (milliseconds) => new Promise((resolve) => setTimeout(resolve, milliseconds)),
  random: Math.random,
};
/** Milliseconds: no wait is longer. */
const LONGEST = 10_000;

/** True for what may work when it is tried again. */
export const isRetryable = (error: unknown): boolean => error instanceof StoreUnavailable || error instanceof StoreBusy;

/**
 * Tries again what a store did not do for a reason that passes. It waits a random time from none to all of the delay ("full jitter"), so that
 * many who failed together do not come back together: https://aws.amazon.com/blogs/architecture/exponential-backoff-and-jitter/
 */
export function withRetries(
  store: BlobStore,
  { attempts = 4, baseDelay = 200, deadline = 60_000, clock = realClock }: RetryOptions = {},
): BlobStore {
  /** Counts the tries of one call: waits before the next one, or throws the error where there is none. */
  const tries = () => {
    const begun = clock.now();
    let made = 0;
    return async (error: unknown) => {
      made += 1;
      const wait = clock.random() * Math.min(LONGEST, baseDelay * 2 ** (made - 1));
      if (!isRetryable(error) || made >= attempts || clock.now() + wait - begun > deadline) throw error;
      await clock.sleep(wait);
    };
  };
  const again = async <T>(work: () => Promise<T>): Promise<T> => {
    for (const next = tries(); ; ) {
      try {
        return await work();
      } catch (error) {
        await next(error);
      }
    }
  };
  const { replace, entries, peek } = store;
  /** A listing that broke off begins anew: what was given already is passed over. */
  async function* listing<T>(list: () => AsyncIterable<T>, keyOf: (found: T) => string): AsyncGenerator<T> {
    const given = new Set<string>();
    for (let next = tries(); ; ) {
      try {
        for await (const found of list()) {
          if (given.has(keyOf(found))) continue;
          given.add(keyOf(found));
          yield found;
          next = tries();
        }
        return;
      } catch (error) {
        await next(error);
      }
    }
  }

  return {
    url: store.url,
    id: () => again(() => store.id()),
    put: (key, bytes) => again(() => store.put(key, bytes)),
    ...(replace !== undefined && { replace: (key, was, bytes) => again(() => replace.call(store, key, was, bytes)) }),
    get: (key) => again(() => store.get(key)),
    has: (keys) => again(() => store.has(keys)),
    list: (prefix) => listing(() => store.list(prefix), String),
    ...(entries !== undefined && {
      entries: (prefix) =>
        listing(
          () => entries.call(store, prefix),
          ({ key }) => key,
        ),
    }),
    ...(peek !== undefined && { peek: (key, length) => again(() => peek.call(store, key, length)) }),
    delete: (key) => again(() => store.delete(key)),
    close: () => store.close(),
  };
}
