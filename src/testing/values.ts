import assert from 'node:assert/strict';
import type { BlobStore } from '../storage/blob-store.ts';
import type { Check } from './judged.ts';
import { assertValue, blob, largeValue } from './samples.ts';

/** What becomes of a value. */
export const valueChecks: Check[] = [
  [
    'gives back what was put, byte for byte',
    async ({ store }) => {
      const all = Buffer.from(Array.from({ length: 256 }, (_, byte) => byte));
      await store.put(blob(1), all);
      await store.put(blob(2), all.subarray(100, 200)); // a view of a larger buffer
      await assertValue(store, blob(1), all);
      await assertValue(store, blob(2), all.subarray(100, 200));
    },
  ],
  [
    'takes an empty value',
    async ({ store }) => {
      await store.put(blob(1), Buffer.alloc(0));
      await assertValue(store, blob(1), Buffer.alloc(0));
      assert.deepEqual(await store.has([blob(1)]), new Set([blob(1)]));
    },
  ],
  [
    'takes a value of 9 MB, and keeps it',
    async ({ store }) => {
      await store.put(blob(1), largeValue(1));
      await assertValue(store, blob(1), largeValue(1));
      await store.put(blob(1), largeValue(2));
      await assertValue(store, blob(1), largeValue(1));
    },
  ],
  [
    'a key that is not there is null',
    async ({ store }) => {
      assert.equal(await store.get(blob(1)), null);
      await store.put(blob(1), Buffer.from('one'));
      assert.equal(await store.get(blob(2)), null);
      assert.equal(await store.get(`manifests/${blob(1).slice('blobs/'.length)}`), null);
    },
  ],
  [
    'a key keeps its first value, and to put again is no error',
    async ({ store }) => {
      for (const text of ['first', 'first', 'second', '']) await store.put(blob(1), Buffer.from(text));
      await assertValue(store, blob(1), Buffer.from('first'));
    },
  ],
  [
    'a value does not change with the buffers that were given and got',
    async ({ store }) => {
      const bytes = Buffer.from('before');
      await store.put(blob(1), bytes);
      bytes.fill(0);
      (await store.get(blob(1)))?.fill(0);
      await assertValue(store, blob(1), Buffer.from('before'));
    },
  ],
  [
    'replace, where it has one, changes only the value that it was made from, and only where it is',
    async ({ store }) => {
      if (store.replace === undefined) return; // what is shared never changes
      const [first, second, third] = ['first', 'second', 'third'].map((text) => Buffer.from(text)) as [Buffer, Buffer, Buffer];
      await store.put(blob(1), first);
      await store.replace(blob(1), first, second);
      await assertValue(store, blob(1), second);
      await store.replace(blob(1), first, third);
      await assertValue(store, blob(1), second);
      await store.replace(blob(2), first, second);
      assert.equal(await store.get(blob(2)), null);
      await assertIsNowhere(store, blob(2));
    },
  ],
];

async function assertIsNowhere(store: BlobStore, key: string): Promise<void> {
  assert.deepEqual(await store.has([key]), new Set());
  assert.ok(!(await Array.fromAsync(store.list(''))).includes(key), `list gives ${key}, which is not there`);
}
