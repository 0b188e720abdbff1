import assert from 'node:assert/strict';
import { assertPlainError, rejection } from './errors.ts';
import type { Check } from './judged.ts';
import { assertValue, blob, keysOf } from './samples.ts';

/** From the making of a store to its closing, and over it. */
export const lifetimeChecks: Check[] = [
  [
    'keeps its values when it is closed and opened again',
    async ({ store, reopen, close }) => {
      await store.put(blob(1), Buffer.from('one'));
      await store.put(blob(2), Buffer.from('two'));
      await store.delete(blob(2));
      await close(store);
      const again = await reopen();
      await assertValue(again, blob(1), Buffer.from('one'));
      assert.equal(await again.get(blob(2)), null);
      assert.deepEqual(await keysOf(again, ''), [blob(1)]);
      await again.put(blob(1), Buffer.from('other'));
      await assertValue(again, blob(1), Buffer.from('one'));
    },
  ],
  [
    'has an id, the same for all who open it and another one in another store',
    async ({ store, reopen, openAnother, close }) => {
      const handles = [store, await reopen(), await reopen()];
      const [id, ...same] = await Promise.all(handles.map((handle) => handle.id())); // nobody asked before
      assert.ok(typeof id === 'string' && /^[\w-]{8,100}$/.test(id), 'an id has 8 to 100 letters, digits, _ and -');
      assert.deepEqual(same, [id, id], 'the same store has several ids');
      assert.equal(await store.id(), id);
      assert.deepEqual(await keysOf(store, ''), [], 'the id is among the keys');
      for (const handle of handles) await close(handle);
      assert.equal(await (await reopen()).id(), id, 'the id changed when it was opened again');
      assert.notEqual(await (await openAnother()).id(), id, 'two stores have one id');
    },
  ],
  [
    'its URL is one, without a secret',
    async ({ store, secrets }) => {
      assert.match(store.url, /^[a-z][a-z0-9+.-]*:\S*$/i);
      assert.doesNotMatch(store.url, /:\/\/[^/?#]*@/, 'the URL holds credentials');
      assert.doesNotMatch(store.url, /[?&][^=&]*(secret|token|password)[^=&]*=/i, 'the URL holds credentials');
      for (const secret of secrets) assert.ok(!store.url.includes(secret), 'the URL holds a secret');
    },
  ],
  [
    'to close twice is harmless',
    async ({ store, reopen, close }) => {
      await store.put(blob(1), Buffer.from('one'));
      await close(store);
      await close(store);
      await assertValue(await reopen(), blob(1), Buffer.from('one'));
    },
  ],
  [
    'to close one of two leaves the other open',
    async ({ store, reopen, close }) => {
      const other = await reopen();
      await store.put(blob(1), Buffer.from('one'));
      await close(store);
      await assertValue(other, blob(1), Buffer.from('one'));
      await other.put(blob(2), Buffer.from('two'));
      await assertValue(other, blob(2), Buffer.from('two'));
    },
  ],
  [
    'what is asked after it was closed ends: done, or with an Error',
    async ({ store, close, inTime, secrets }) => {
      await store.put(blob(1), Buffer.from('one'));
      await close(store);
      const calls: [string, () => Promise<unknown>][] = [
        ['id', () => store.id()],
        ['put', () => store.put(blob(2), Buffer.from('two'))],
        ['get', () => store.get(blob(1))],
        ['has', () => store.has([blob(1)])],
        ['list', () => keysOf(store, '')],
        ['delete', () => store.delete(blob(1))],
      ];
      for (const [name, call] of calls) {
        const rejected = await inTime(`${name}, after close,`, rejection(name, call));
        if (rejected !== null) assertPlainError(rejected.error, secrets);
      }
    },
  ],
  [
    'close lets what is being put come to its end',
    async ({ store, reopen, close, inTime }) => {
      const keys = Array.from({ length: 20 }, (_, at) => blob(at));
      const puts = keys.map((key) => store.put(key, Buffer.from(key)));
      const [, ...ends] = await Promise.all([
        close(store),
        ...puts.map((put) =>
          inTime(
            'put, while the store was closed,',
            rejection('put', () => put),
          ),
        ),
      ]);
      const again = await reopen();
      const there = await again.has(keys);
      keys.forEach((key, at) => assert.ok(ends[at] !== null || there.has(key), 'a put was told to be done and is lost'));
      for (const key of there) await assertValue(again, key, Buffer.from(key));
    },
  ],
];
