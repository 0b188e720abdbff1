import { expect, test } from 'vitest';
import type { OpenStore } from '../../src/adapter.ts';
import { StoreError, StoreUnavailable } from '../../src/errors.ts';
import type { BlobStore } from '../../src/storage/blob-store.ts';
import { openToldStore } from '../../src/storage/told-store.ts';
import { memoryStore } from '../../storage-adapters/memory/index.ts';

const URL = 'npm:my-adapter';
const told = (broken: Partial<BlobStore>, longest?: number) =>
  openToldStore(() => ({ ...memoryStore(), url: URL, ...broken }), URL, longest);
const fails = (error: unknown) => async () => {
  throw error;
};
const throws = () => {
  throw new Error('no');
};
const caught = (call: Promise<unknown>): Promise<StoreError> =>
  call.then(
    () => expect.unreachable('it was done'),
    (error) => error,
  );

test('an error becomes one that names the store', async () => {
  const cause = new Error('ENOSPC');
  const error = await caught((await told({ put: fails(cause) })).put('blobs/a', Buffer.from('a')));
  expect(error).toBeInstanceOf(StoreError);
  expect(error).not.toBeInstanceOf(StoreUnavailable);
  expect(error.sentence).toBe('The store npm:my-adapter failed: ENOSPC. Try again, or see to the adapter.');
  expect(error.cause).toBe(cause);
});

test('what the adapter says with an error is used: the next step, and that it may work later', async () => {
  const cause = Object.assign(new Error('The drive is not there.'), { next: 'Mount it.', retryable: true });
  const error = await caught((await told({ get: fails(cause) })).get('blobs/a'));
  expect(error).toBeInstanceOf(StoreUnavailable);
  expect(error.sentence).toBe('The store npm:my-adapter failed: The drive is not there. Mount it.');
});

test.each<[string, Partial<BlobStore>, (store: BlobStore) => Promise<unknown>]>([
  ['id', { id: fails('away') }, (store) => store.id()],
  ['has', { has: fails('away') }, (store) => store.has(['blobs/a'])],
  ['list', { list: throws }, (store) => Array.fromAsync(store.list(''))],
  ['delete', { delete: fails(undefined) }, (store) => store.delete('blobs/a')],
  ['close', { close: fails(null) }, (store) => store.close()],
])('%s: a throw, a text and nothing are errors too', async (_, broken, call) => {
  expect(await caught(call(await told(broken)))).toBeInstanceOf(StoreError);
});

test('a list that breaks in the middle', async () => {
  const store = await told({
    async *list() {
      yield 'blobs/a';
      throw Object.assign(new Error('reset'), { retryable: true });
    },
  });
  const seen: string[] = [];
  const reading = (async () => {
    for await (const key of store.list('')) seen.push(key);
  })();
  expect(await caught(reading)).toBeInstanceOf(StoreUnavailable);
  expect(seen).toEqual(['blobs/a']);
});

test('a reader of a list who has enough ends it', async () => {
  let ended = false;
  const store = await told({
    async *list() {
      try {
        for (;;) yield 'blobs/a';
      } finally {
        ended = true;
      }
    },
  });
  for await (const _ of store.list('')) break;
  await Promise.resolve();
  expect(ended).toBe(true);
});

test('what hangs ends', async () => {
  const never = () => new Promise<never>(() => {});
  const store = await told({ get: never, list: () => ({ [Symbol.asyncIterator]: () => ({ next: never }) }) }, 20);
  for (const call of [store.get('blobs/a'), Array.fromAsync(store.list(''))])
    expect((await caught(call)).message).toBe('The store npm:my-adapter gave no answer within 0.02 s.');
});

test.each<[string, OpenStore, string]>([
  ['fails', () => Promise.reject(new Error('The URL names no folder.')), 'failed: The URL names no folder.'],
  ['throws', throws, 'failed: no.'],
  ['gives nothing', () => undefined as never, 'is no store: it has no id, put, get, has, list, delete, close.'],
  ['gives half a store', () => ({ ...memoryStore(), list: undefined }) as never, 'is no store: it has no list.'],
])('an adapter that %s', async (_, open, says) => {
  const error = await caught(openToldStore(open, URL));
  expect(error).toBeInstanceOf(StoreError);
  expect(error.message).toContain(says);
  expect(error.message).toContain(URL);
});

test('a value that is no Buffer becomes one; what is shared is never replaced', async () => {
  const store = await told({ get: async () => new Uint8Array([1]) as Buffer });
  expect(await store.get('blobs/a')).toEqual(Buffer.from([1]));
  expect(store.replace).toBeUndefined();
});

test('what it may have it has where the adapter has it', async () => {
  expect(await told({})).not.toHaveProperty('peek');
  const entry = { key: 'blobs/a', bytes: 1, modified: null };
  const store = await told({
    async *entries() {
      yield entry;
      throw 'away';
    },
    peek: async () => new Uint8Array([1]) as Buffer,
  });
  expect(await store.peek?.('blobs/a', 1)).toEqual(Buffer.from([1]));
  const entries = store.entries!('')[Symbol.asyncIterator]();
  expect(await entries.next()).toEqual({ done: false, value: entry });
  expect(await caught(entries.next())).toBeInstanceOf(StoreError);
});
