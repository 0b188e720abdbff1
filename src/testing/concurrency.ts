import assert from 'node:assert/strict';
import { setImmediate } from 'node:timers/promises';
import type { BlobStore } from '../storage/blob-store.ts';
import type { Check } from './judged.ts';
import { assertValue, blob, each, keysOf, largeValue } from './samples.ts';

/** Several at once, in one process and in two. */
export const concurrencyChecks: Check[] = [
  [
    'what one has put or deleted, another one sees at once',
    async ({ store, reopen }) => {
      const other = await reopen();
      await store.put(blob(1), Buffer.from('one'));
      await assertValue(other, blob(1), Buffer.from('one'));
      assert.deepEqual(await other.has([blob(1)]), new Set([blob(1)]));
      assert.deepEqual(await keysOf(other, ''), [blob(1)]);
      await other.put(blob(1), Buffer.from('other'));
      await assertValue(store, blob(1), Buffer.from('one'));
      await other.delete(blob(1));
      assert.equal(await store.get(blob(1)), null);
      assert.deepEqual(await store.has([blob(1)]), new Set());
      assert.deepEqual(await keysOf(store, ''), []);
    },
  ],
  [
    'many put one key at once: one value wins, and stays',
    async ({ store, reopen }) => {
      const handles = [store, await reopen()];
      for (let round = 0; round < 5; round += 1) {
        const key = blob(round);
        // Of several lengths, so that they take several times: who is first stays, also for those who come while others are at it.
        const values = Array.from({ length: 24 }, (_, at) => Buffer.from(`${at} `.repeat(1 + at * 3000)));
        const seen = await Promise.all(
          values.map(async (value, at) => {
            const handle = handles[at % 2] as BlobStore;
            await handle.put(key, value);
            return await handle.get(key);
          }),
        );
        const winner = seen[0] as Buffer;
        assert.ok(
          values.some((value) => winner?.equals(value)),
          `${key} has none of the values that were put`,
        );
        assert.ok(
          seen.every((value) => value?.equals(winner)),
          'a value changed when another put that ran at the same time was done',
        );
        await store.put(key, Buffer.from('too late'));
        for (const handle of handles) await assertValue(handle, key, winner);
      }
    },
  ],
  [
    'many keys at once, a large value among them',
    async ({ store }) => {
      const keys = Array.from({ length: 60 }, (_, at) => blob(at));
      await Promise.all([store.put(blob('large'), largeValue(3)), ...keys.map((key) => store.put(key, Buffer.from(key)))]);
      await assertValue(store, blob('large'), largeValue(3));
      await Promise.all(keys.map((key) => assertValue(store, key, Buffer.from(key))));
    },
  ],
  [
    'who reads while another writes sees the whole value or none',
    async ({ store, reopen }) => {
      const reader = await reopen();
      const value = largeValue(4).subarray(0, 1024 * 1024);
      const keys = Array.from({ length: 24 }, (_, at) => blob(at));
      const unseen = new Set(keys);
      let written = false;
      const writing = each(keys, (key) => store.put(key, value), 2).finally(() => (written = true));
      const see = async (key: string) => {
        assert.ok(keys.includes(key), `${key} is there, which nobody has put`);
        if (unseen.has(key)) await assertValue(reader, key, value);
        unseen.delete(key);
      };
      const reading = (async () => {
        while (!written) {
          await Promise.all((await keysOf(reader, '')).map(see));
          await Promise.all([...(await reader.has(keys))].map(see));
          await Promise.all([...unseen].map(async (key) => (await reader.get(key)) !== null && (await see(key))));
          await setImmediate();
        }
      })();
      await Promise.all([reading, writing]);
      for (const key of keys) await assertValue(reader, key, value);
      assert.deepEqual((await keysOf(reader, '')).sort(), keys.sort());
    },
  ],
  [
    'many delete and put at once, and no value is half there',
    async ({ store, reopen }) => {
      const [other, key] = [await reopen(), blob(1)];
      const values = ['one', 'two', 'three'].map((text) => Buffer.from(text.repeat(5000)));
      const worker = async (_: unknown, number: number) => {
        const handle = number % 2 === 0 ? store : other;
        for (let time = 0; time < 8; time += 1) {
          if ((number + time) % 3 === 0) await handle.delete(key);
          else await handle.put(key, values[time % 3] as Buffer);
          const seen = await handle.get(key);
          assert.ok(seen === null || values.some((value) => value.equals(seen)), 'a value that nobody has put');
        }
      };
      await Promise.all(Array.from({ length: 6 }, worker));
      await store.delete(key);
      assert.equal(await other.get(key), null);
    },
  ],
];
