import { randomUUID } from 'node:crypto';
import type { BlobStore } from '../../../src/storage/blob-store.ts';
import { never } from './parts.ts';

const gone = () => Promise.reject(Object.assign(new Error('The drive is not there.'), { next: 'Mount it.', retryable: true }));

/** A store that cannot be used and says so as it has to. */
export const unreachable: BlobStore = {
  url: 'npm:unreachable',
  id: gone,
  put: gone,
  get: gone,
  has: gone,
  // biome-ignore lint/correctness/useYield: it fails before
  async *list() {
    await gone();
  },
  delete: gone,
  close: async () => {},
};

/** What a store that cannot be used does instead of saying so. */
export const silent: [rule: string, says: RegExp, breaks: Partial<BlobStore>][] = [
  ['has no values', /get does not say/, { get: async () => null }],
  ['has no keys', /has does not say/, { has: async () => new Set<string>() }],
  ['has an empty list', /list does not say/, { async *list() {} }],
  ['swallows what is put', /put does not say/, { put: async () => {} }],
  ['deletes nothing', /delete does not say/, { delete: async () => {} }],
  ['makes up an id', /id does not say/, { id: async () => randomUUID() }],
  ['hangs', /get did not end/, { get: never }],
  [
    'throws',
    /has throws instead/,
    {
      has: () => {
        throw new Error('The drive is not there.');
      },
    },
  ],
  ['rejects with a text', /no Error/, { put: () => Promise.reject('gone') }],
  ['rejects with nothing', /no Error, but \[object Undefined/, { put: () => Promise.reject() }],
  ['says nothing', /next to nothing/, { put: () => Promise.reject(new Error('')) }],
  ['tells a secret', /tells a secret/, { put: () => Promise.reject(new Error('The password hunter2 is wrong.')) }],
  ['tells credentials', /tells credentials/, { put: () => Promise.reject(new Error('Cannot reach ftp://me:it@host/.')) }],
  [
    'tells a secret in the next step',
    /tells a secret/,
    { put: () => Promise.reject(Object.assign(new Error('The password is wrong.'), { next: 'It is hunter2.' })) },
  ],
  [
    'gives a next step that is no text',
    /next is/,
    { put: () => Promise.reject(Object.assign(new Error('It is gone.'), { next: 1 })) },
  ],
  ['says maybe', /retryable is/, { put: () => Promise.reject(Object.assign(new Error('It is gone.'), { retryable: 'maybe' })) }],
];
