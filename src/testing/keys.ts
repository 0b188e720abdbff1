import assert from 'node:assert/strict';
import type { Check } from './judged.ts';
import { assertValue, blob, each, KEYS, keysOf } from './samples.ts';

/** Which keys there are. */
export const keyChecks: Check[] = [
  [
    'takes every form of key',
    async ({ store }) => {
      await each(KEYS, (key) => store.put(key, Buffer.from(key)));
      for (const key of KEYS) await assertValue(store, key, Buffer.from(key));
      assert.deepEqual(await store.has(KEYS), new Set(KEYS));
      assert.deepEqual((await keysOf(store, '')).sort(), [...KEYS].sort());
    },
  ],
  [
    'has tells which of hundreds of keys are there',
    async ({ store }) => {
      const keys = Array.from({ length: 700 }, (_, at) => blob(at));
      const there = keys.filter((_, at) => at % 3 === 0);
      await each([...there, blob('not asked for')], (key) => store.put(key, Buffer.from(key)));
      assert.deepEqual(await store.has(keys), new Set(there));
      const [first, second] = keys as [string, string];
      assert.deepEqual(await store.has([first, second, first]), new Set([first]));
      assert.deepEqual(await store.has([second]), new Set());
      assert.deepEqual(await store.has([]), new Set());
    },
  ],
  [
    'list gives the keys that begin with a text, which need not be a folder',
    async ({ store }) => {
      await each(KEYS, (key) => store.put(key, Buffer.from(key)));
      for (const prefix of [
        'blobs',
        'blobs/',
        'blobs/1',
        'blobs_',
        'manifests/',
        'tombstones/s',
        'tombstones/sessions/',
        'm',
        '',
      ])
        assert.deepEqual(
          (await keysOf(store, prefix)).sort(),
          KEYS.filter((key) => key.startsWith(prefix)).sort(),
          `the keys that begin with "${prefix}"`,
        );
      for (const prefix of ['nothing/', 'blobs/1/', 'BLOBS/']) assert.deepEqual(await keysOf(store, prefix), []);
    },
  ],
  [
    'list and has cope with thousands of keys',
    async ({ store }) => {
      const keys = Array.from({ length: 2100 }, (_, at) => blob(at)).sort();
      await each([...keys, 'manifests/1'], (key) => store.put(key, Buffer.from('x')));
      const [one, other] = await Promise.all([keysOf(store, 'blobs/'), keysOf(store, 'blobs/')]);
      assert.deepEqual(one.sort(), keys);
      assert.deepEqual(other.sort(), keys, 'a list beside another');
      const absent = Array.from({ length: 900 }, (_, at) => blob(`absent ${at}`));
      assert.deepEqual(await store.has([...keys, ...absent]), new Set(keys));
      for await (const key of store.list('blobs/')) {
        assert.ok(keys.includes(key));
        break; // a reader may have enough
      }
      await assertValue(store, keys[0] as string, Buffer.from('x'));
    },
  ],
  [
    'delete removes one key, and one that is not there is no error',
    async ({ store }) => {
      for (const key of ['blobs/1', 'blobs/12']) await store.put(key, Buffer.from(key));
      await store.delete('blobs/1');
      await store.delete('blobs/1');
      await store.delete('nothing/1');
      assert.equal(await store.get('blobs/1'), null);
      assert.deepEqual(await store.has(['blobs/1', 'blobs/12']), new Set(['blobs/12']));
      assert.deepEqual(await keysOf(store, ''), ['blobs/12']);
      await store.put('blobs/1', Buffer.from('again'));
      await assertValue(store, 'blobs/1', Buffer.from('again'));
    },
  ],
];
