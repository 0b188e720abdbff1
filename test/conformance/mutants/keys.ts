import { setTimeout as sleep } from 'node:timers/promises';
import { confusing, listing, type Mutants } from './parts.ts';

export const keyMutants: Mutants = {
  'takes every form of key': [
    [
      'takes blobs and manifests only',
      /not a key/,
      ({ store }) => ({
        put: async (key, bytes) => {
          if (!/^(blobs|manifests)\//.test(key)) throw new Error(`not a key: ${key}`);
          await store.put(key, bytes);
        },
      }),
    ],
    ['takes - and / as one', /another value/, ({ store }) => confusing(store, '/', '-')],
    ['takes _ and / as one', /another value/, ({ store }) => confusing(store, '/', '_')],
    ['takes . and / as one', /another value/, ({ store }) => confusing(store, '/', '.')],
    [
      'cuts long names',
      /deep/i,
      ({ store }) => ({ put: (key, bytes) => store.put(key.slice(0, 128), bytes), get: (key) => store.get(key.slice(0, 128)) }),
    ],
  ],
  'has tells which of hundreds of keys are there': [
    ['has everything', /deep/i, () => ({ has: async (keys) => new Set(keys) })],
    ['has nothing', /deep/i, () => ({ has: async () => new Set() })],
    ['has the first hundred', /deep/i, ({ store }) => ({ has: async (keys) => store.has(keys.slice(0, 100)) })],
    ['has what nobody asked for', /deep/i, ({ objects }) => ({ has: async () => new Set(objects.keys()) })],
    ['gives an array for a set', /deep/i, ({ store }) => ({ has: async (keys) => [...(await store.has(keys))] as never })],
    [
      'fails when nothing is asked',
      /syntax/,
      ({ store }) => ({
        has: async (keys) => {
          if (keys.length === 0) throw new Error('syntax error near ()');
          return store.has(keys);
        },
      }),
    ],
  ],
  'list gives the keys that begin with a text, which need not be a folder': [
    [
      'lists whole folders only',
      /begin with "blobs"/,
      ({ store }) => listing(store, (keys, prefix) => keys.filter((key) => key.startsWith(prefix.replace(/([^/])$/, '$1/')))),
    ],
    [
      'lists the folder and those beside it',
      /begin with "blobs\/"/,
      ({ store }) => listing(store, (keys, prefix) => keys.filter((key) => key.startsWith(prefix.replace(/\/$/, '')))),
    ],
    [
      'lists with _ for any character',
      /begin with "blobs_"/,
      ({ store }) =>
        listing(store, (keys, prefix) => keys.filter((key) => new RegExp(`^${prefix.replaceAll('_', '.')}`).test(key))),
    ],
    [
      'lists without regard to case',
      /deep/i,
      ({ store }) => listing(store, (keys, prefix) => keys.filter((key) => key.startsWith(prefix.toLowerCase()))),
    ],
    [
      'lists one level',
      /begin with "tombstones\/s"/,
      ({ store }) =>
        listing(store, (keys, prefix) => keys.filter((key) => key.startsWith(prefix) && key.split('/').length === 2)),
    ],
    ['lists a prefix of nothing as everything', /begin with/, ({ store }) => listing(store, (keys) => keys)],
  ],
  'list and has cope with thousands of keys': [
    [
      'loses pages of a list',
      /deep/i,
      ({ store }) => listing(store, (keys, prefix) => keys.filter((key) => key.startsWith(prefix)).slice(0, 1000)),
    ],
    [
      'gives the last of a page again',
      /deep/i,
      ({ store }) =>
        listing(store, (keys, prefix) =>
          keys.filter((key) => key.startsWith(prefix)).flatMap((key, at) => (at % 1000 === 999 ? [key, key] : [key])),
        ),
    ],
    [
      'takes 999 keys at most',
      /too many/,
      ({ store }) => ({
        has: async (keys) => {
          if (keys.length > 999) throw new Error('too many SQL variables');
          return store.has(keys);
        },
      }),
    ],
    [
      'has one cursor for all lists',
      /deep/i,
      ({ store, notes }) => ({
        async *list(prefix) {
          const keys = (await Array.fromAsync(store.list(prefix))).sort();
          for (notes.set('cursor', 0); ; ) {
            const at = notes.get('cursor') as number;
            if (at >= keys.length) return;
            notes.set('cursor', at + 1);
            yield keys[at] as string;
            await sleep(0);
          }
        },
      }),
    ],
  ],
  'delete removes one key, and one that is not there is no error': [
    ['deletes nothing', /deep|null/i, () => ({ delete: async () => {} })],
    [
      'cannot delete what is not there',
      /ENOENT/,
      ({ store }) => ({
        delete: async (key) => {
          if ((await store.has([key])).size === 0) throw new Error('ENOENT: no such file');
          await store.delete(key);
        },
      }),
    ],
    [
      'deletes what begins with the key',
      /deep/i,
      ({ store }) => ({
        delete: async (key) => {
          for (const name of await Array.fromAsync(store.list(key))) await store.delete(name);
        },
      }),
    ],
    [
      'takes no key again that was deleted',
      /not there/,
      ({ store, notes }) => ({
        put: async (key, bytes) => (notes.has(key) ? undefined : store.put(key, bytes)),
        delete: async (key) => {
          notes.set(key, true);
          await store.delete(key);
        },
      }),
    ],
  ],
};
