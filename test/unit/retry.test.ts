import { expect, test } from 'vitest';
import { StoreBusy, StoreError, StoreUnavailable } from '../../src/errors.ts';
import type { BlobStore } from '../../src/storage/blob-store.ts';
import { type RetryOptions, withRetries } from '../../src/storage/retry.ts';
import { memoryStore } from '../../storage-adapters/memory/index.ts';
import { conforms } from '../conformance/suite.ts';

const away = () => new StoreUnavailable('It is away.', 'Wait.');

/** A clock whose sleeps take no time; `random` gives the whole delay unless it is told otherwise. */
function fakeClock(random = () => 1) {
  const slept: number[] = [];
  let now = 1000;
  const sleep = async (milliseconds: number) => {
    slept.push(milliseconds);
    now += milliseconds;
  };
  return { slept, now: () => now, sleep, random, pass: (milliseconds: number) => (now += milliseconds) };
}

/** A store whose every call fails so many times before it works, and counts. */
function failing(times: number, error: () => Error = away, before = () => {}) {
  const inner = memoryStore();
  const calls: string[] = [];
  const failFirst = (name: string) => {
    calls.push(name);
    before();
    if (calls.filter((call) => call === name).length <= times) throw error();
  };
  const store: BlobStore = {
    ...inner,
    id: async () => (failFirst('id'), inner.id()),
    put: async (key, bytes) => (failFirst('put'), inner.put(key, bytes)),
    replace: async (key, was, bytes) => (failFirst('replace'), inner.replace!(key, was, bytes)),
    get: async (key) => (failFirst('get'), inner.get(key)),
    has: async (keys) => (failFirst('has'), inner.has(keys)),
    async *list(prefix) {
      failFirst('list');
      yield* inner.list(prefix);
    },
    delete: async (key) => (failFirst('delete'), inner.delete(key)),
  };
  return { store, calls };
}

const retrying = (store: BlobStore, options: RetryOptions = {}) => {
  const clock = fakeClock();
  return { store: withRetries(store, { clock, ...options }), slept: clock.slept };
};

conforms('a store with retries', () => ({ store: withRetries(memoryStore()) }));
conforms('a store with retries whose every first call fails', () => ({ store: retrying(failing(1).store).store }));

test.each<[string, (store: BlobStore) => Promise<unknown>]>([
  ['id', (store) => store.id()],
  ['put', (store) => store.put('blobs/a', Buffer.from('a'))],
  ['replace', (store) => store.replace!('blobs/a', Buffer.from('a'), Buffer.from('b'))],
  ['get', (store) => store.get('blobs/a')],
  ['has', (store) => store.has(['blobs/a'])],
  ['list', (store) => Array.fromAsync(store.list(''))],
  ['delete', (store) => store.delete('blobs/a')],
])('%s is tried again, at most so many times', async (name, call) => {
  const works = failing(3);
  await call(retrying(works.store).store);
  expect(works.calls).toEqual(Array(4).fill(name));

  const fails = failing(4);
  await expect(call(retrying(fails.store).store)).rejects.toThrow('It is away.');
  expect(fails.calls).toHaveLength(4);
});

test('a store that cannot replace cannot with retries', () => {
  const { replace: _, ...shared } = memoryStore();
  expect(withRetries(shared)).not.toHaveProperty('replace');
});

test('only what may work the next time is tried again', async () => {
  const tried = async (error: () => Error) => {
    const { store, calls } = failing(1, error);
    await retrying(store)
      .store.get('blobs/a')
      .catch(() => {});
    return calls.length;
  };
  expect(await tried(away)).toBe(2);
  expect(await tried(() => new StoreBusy('It is locked.', 'Wait.'))).toBe(2);
  expect(await tried(() => new StoreError('There is no bucket.', 'Make it.'))).toBe(1);
  expect(await tried(() => new TypeError('a bug'))).toBe(1);
});

test('the delay doubles, up to ten seconds', async () => {
  const { store, slept } = retrying(failing(8).store, { attempts: 9, baseDelay: 200 });
  await store.get('blobs/a');
  expect(slept).toEqual([200, 400, 800, 1600, 3200, 6400, 10_000, 10_000]);
});

test('each wait is a random part of its delay', async () => {
  const parts = [0, 0.5, 0.25];
  const clock = fakeClock(() => parts.shift()!);
  await withRetries(failing(3).store, { clock, baseDelay: 100 }).get('blobs/a');
  expect(clock.slept).toEqual([0, 100, 100]);
});

test('no try begins after the deadline, waits and calls together', async () => {
  const clock = fakeClock();
  const { store, calls } = failing(99, away, () => clock.pass(1000));
  await expect(withRetries(store, { clock, attempts: 99, baseDelay: 100, deadline: 2500 }).get('blobs/a')).rejects.toThrow(
    'It is away.',
  );
  // 1000 + 100 + 1000 + 200 fit; after the third call it is later than 2500.
  expect(calls).toHaveLength(3);
  expect(clock.slept).toEqual([100, 200]);
});

test('a list that breaks off goes on, each key once, and counts its tries anew with each key', async () => {
  const keys = ['a', 'b', 'c', 'd'];
  let reads = 0;
  const store: BlobStore = {
    ...memoryStore(),
    async *list() {
      reads += 1;
      for (const [at, key] of keys.entries()) {
        if (at === reads) throw away();
        yield key;
      }
    },
  };
  const { store: listing, slept } = retrying(store, { attempts: 2, baseDelay: 100 });
  expect(await Array.fromAsync(listing.list(''))).toEqual(keys);
  expect({ reads, slept }).toEqual({ reads: 4, slept: [100, 100, 100] });
});

test('who stops reading a list gets no error of it', async () => {
  const { store } = retrying({
    ...memoryStore(),
    async *list() {
      yield 'a';
      throw new Error('not reached');
    },
  });
  for await (const key of store.list('')) {
    expect(key).toBe('a');
    break;
  }
});
