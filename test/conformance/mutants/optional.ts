import type { BlobStore, Entry } from '../../../src/storage/blob-store.ts';
import type { Mutants } from './parts.ts';

/** Tells something else than there is. */
const telling = (store: BlobStore, change: (entry: Entry) => Entry): Partial<BlobStore> => ({
  async *entries(prefix) {
    for await (const entry of store.entries!(prefix)) yield change(entry);
  },
});

export const optionalMutants: Mutants = {
  'entries, where it has them, tell the length and the time of each key that list gives': [
    ['tells a wrong length', /length of a value/, ({ store }) => telling(store, (entry) => ({ ...entry, bytes: 46 }))],
    [
      'tells seconds for milliseconds',
      /no time/,
      ({ store }) => telling(store, (entry) => ({ ...entry, modified: Date.now() / 1000 })),
    ],
    ['tells a date', /no time/, ({ store }) => telling(store, (entry) => ({ ...entry, modified: '2026-01-01' as never }))],
    [
      'tells of folders',
      /deep/i,
      ({ store }) => telling(store, (entry) => ({ ...entry, key: entry.key.split('/')[0] as string })),
    ],
    ['tells of everything', /deep/i, ({ store }) => ({ entries: () => store.entries!('') })],
    ['tells of nothing', /deep/i, () => ({ async *entries() {} })],
  ],
  'peek, where it has one, gives the beginning of a value': [
    [
      'gives the end',
      /first 1 bytes/,
      ({ store }) => ({ peek: async (key, length) => (await store.get(key))?.subarray(-length) ?? null }),
    ],
    ['gives one more', /first 1 bytes/, ({ store }) => ({ peek: (key, length) => store.peek!(key, length + 1) })],
    [
      'fills it up',
      /first 5000 bytes/,
      ({ store }) => ({
        peek: async (key, length) => {
          const bytes = await store.get(key);
          return bytes === null ? null : Buffer.concat([bytes, Buffer.alloc(length)], length);
        },
      }),
    ],
    [
      'fails where there is nothing',
      /416/,
      ({ store }) => ({
        peek: async (key, length) => {
          const bytes = await store.peek!(key, length);
          if (bytes?.length === 0) throw new Error('416 Range Not Satisfiable');
          return bytes;
        },
      }),
    ],
    [
      'begins what is not there',
      /null/,
      ({ store }) => ({ peek: async (key, length) => (await store.peek!(key, length)) ?? Buffer.alloc(0) }),
    ],
    [
      'gives a Uint8Array',
      /no Buffer/,
      ({ store }) => ({ peek: async (key, length) => new Uint8Array((await store.get(key))!.subarray(0, length)) as never }),
    ],
  ],
};
