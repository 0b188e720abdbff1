import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { BlobStore } from '../../src/storage/blob-store.ts';

/**
 * What every adapter has to do.
 * @param open opens a new, empty store; `reopen` opens the same one again, where the adapter outlives its process.
 */
export function conforms(name: string, open: () => { store: BlobStore; reopen?: () => BlobStore; remove?: () => void }): void {
  describe(`${name} is a BlobStore`, () => {
    let opened: ReturnType<typeof open>;
    let store: BlobStore;
    beforeEach(() => {
      opened = open();
      store = opened.store;
    });
    afterEach(async () => {
      await store.close();
      opened.remove?.();
    });

    test('gives back what was put, byte for byte', async () => {
      const all = Buffer.from(Array.from({ length: 256 }, (_, byte) => byte));
      await store.put('blobs/a', all);
      expect((await store.get('blobs/a'))?.equals(all)).toBe(true);
      await store.put('blobs/empty', Buffer.alloc(0));
      expect(await store.get('blobs/empty')).toHaveLength(0);
    });

    test('a key that is not there is null', async () => expect(await store.get('blobs/none')).toBeNull());

    test('is create-only: a key keeps its first value', async () => {
      await store.put('blobs/a', Buffer.from('first'));
      await store.put('blobs/a', Buffer.from('second'));
      expect(String(await store.get('blobs/a'))).toBe('first');
    });

    test('many puts at once, and a large value', async () => {
      const large = Buffer.alloc(9 * 1024 * 1024, 7);
      await Promise.all([
        store.put('blobs/large', large),
        ...Array.from({ length: 50 }, (_, at) => store.put(`blobs/${at}`, Buffer.from([at]))),
      ]);
      expect((await store.get('blobs/large'))?.equals(large)).toBe(true);
      expect(await store.get('blobs/49')).toEqual(Buffer.from([49]));
    });

    test('has tells which of the keys are there', async () => {
      await store.put('blobs/a', Buffer.from('a'));
      expect(await store.has(['blobs/a', 'blobs/b'])).toEqual(new Set(['blobs/a']));
      expect(await store.has([])).toEqual(new Set());
    });

    test('list gives the keys of a prefix', async () => {
      for (const key of ['blobs/a', 'blobs/b', 'manifests/a']) await store.put(key, Buffer.from(key));
      expect((await Array.fromAsync(store.list('blobs/'))).sort()).toEqual(['blobs/a', 'blobs/b']);
      expect(await Array.fromAsync(store.list('nothing/'))).toEqual([]);
    });

    test('delete removes, and a key that is not there is no error', async () => {
      await store.put('blobs/a', Buffer.from('a'));
      await store.delete('blobs/a');
      await store.delete('blobs/a');
      expect(await store.get('blobs/a')).toBeNull();
      await store.put('blobs/a', Buffer.from('again'));
      expect(String(await store.get('blobs/a'))).toBe('again');
    });

    test('replace changes only the value that it was made from, and only when it is there', async () => {
      if (store.replace === undefined) return; // what is shared never changes
      const [first, second, third] = ['first', 'second', 'third'].map((text) => Buffer.from(text)) as [Buffer, Buffer, Buffer];
      await store.put('blobs/a', first);
      await store.replace('blobs/a', first, second);
      await store.replace('blobs/a', first, third);
      expect(String(await store.get('blobs/a'))).toBe('second');
      await store.replace('blobs/b', first, second);
      expect(await store.get('blobs/b')).toBeNull();
    });

    test('a value that was given does not change with the buffer', async () => {
      const bytes = Buffer.from('before');
      await store.put('blobs/a', bytes);
      bytes.fill(0);
      (await store.get('blobs/a'))?.fill(0);
      expect(String(await store.get('blobs/a'))).toBe('before');
    });

    test('keeps its id and its values when it is opened again', async () => {
      if (opened.reopen === undefined) return; // lives no longer than its process
      await store.put('blobs/a', Buffer.from('a'));
      const again = opened.reopen();
      expect(await again.id()).toBe(await store.id());
      expect(String(await again.get('blobs/a'))).toBe('a');
      await again.close();
    });

    test('its URL names no secret', () => expect(store.url).not.toMatch(/:[^/]*@/));
  });
}
