import assert from 'node:assert/strict';
import type { Entry } from '../storage/blob-store.ts';
import type { Check } from './judged.ts';
import { blob, each, KEYS, keysOf } from './samples.ts';

/** Milliseconds that the clock of a server may be wrong, and more. */
const DAY = 24 * 60 * 60 * 1000;

/** What a store may have. */
export const optionalChecks: Check[] = [
  [
    'entries, where it has them, tell the length and the time of each key that list gives',
    async ({ store }) => {
      if (store.entries === undefined) return;
      const lengths = new Map(KEYS.map((key, at) => [key, at * 1000]));
      await each([...lengths], ([key, length]) => store.put(key, Buffer.alloc(length, 1)));
      for (const prefix of ['', 'blobs', 'blobs/', 'blobs_', 'nothing/']) {
        const entries: Entry[] = await Array.fromAsync(store.entries(prefix));
        assert.deepEqual(entries.map(({ key }) => key).sort(), (await keysOf(store, prefix)).sort());
        for (const { key, bytes, modified } of entries) {
          if (bytes !== null) assert.equal(bytes, lengths.get(key), 'the length of a value');
          if (modified !== null) assert.ok(Math.abs(Date.now() - modified) < DAY, `${modified} is no time of a put just now`);
        }
      }
    },
  ],
  [
    'peek, where it has one, gives the beginning of a value',
    async ({ store }) => {
      if (store.peek === undefined) return;
      const value = Buffer.from(Array.from({ length: 1000 }, (_, at) => at % 256));
      await store.put(blob(1), value);
      await store.put(blob(2), Buffer.alloc(0));
      for (const length of [1, 46, 1000, 5000]) {
        const begins = await store.peek(blob(1), length);
        assert.ok(begins !== null && Buffer.isBuffer(begins), 'the beginning is no Buffer');
        assert.ok(begins.equals(value.subarray(0, length)), `the first ${length} bytes are others`);
      }
      assert.equal((await store.peek(blob(2), 46))?.length, 0, 'the beginning of an empty value');
      assert.equal(await store.peek(blob(3), 46), null);
    },
  ],
];
