import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterClose, type Mutants, never, notOpen } from './parts.ts';

export const lifetimeMutants: Mutants = {
  'keeps its values when it is closed and opened again': [
    [
      'forgets when it is closed',
      /not there/,
      ({ objects }) => ({
        close: async () => objects.clear(),
      }),
    ],
    [
      'remembers what was deleted when it is opened again',
      /Buffer|null/,
      ({ store, objects, notes }) => {
        for (const [key, bytes] of notes) if (!objects.has(key)) objects.set(key, bytes as Buffer);
        return { put: async (key, bytes) => (notes.has(key) || notes.set(key, Buffer.from(bytes)), store.put(key, bytes)) };
      },
    ],
    [
      'overwrites what an earlier one put',
      /another value|bytes, not/,
      ({ objects }) => {
        const own = new Set<string>();
        return { put: async (key, bytes) => void (own.has(key) || (own.add(key), objects.set(key, Buffer.from(bytes)))) };
      },
    ],
  ],
  'has an id, the same for all who open it and another one in another store': [
    [
      'gives each its own id',
      /several ids/,
      () => {
        const id = randomUUID();
        return { id: async () => id };
      },
    ],
    [
      'makes an id twice where two ask at once',
      /several ids/,
      ({ notes }) => ({
        id: async () => {
          if (notes.has('id')) return notes.get('id') as string;
          const id = randomUUID();
          await sleep(1);
          notes.set('id', id);
          return id;
        },
      }),
    ],
    ['has the id of all stores', /one id/, () => ({ id: async () => '00000000-0000-4000-8000-000000000000' })],
    ['has no id', /an id has/, () => ({ id: async () => '' })],
    [
      'lists its id',
      /among the keys/,
      ({ store }) => ({
        async *list(prefix) {
          yield* store.list(prefix);
          if ('store-id'.startsWith(prefix)) yield 'store-id';
        },
      }),
    ],
    [
      'has another id when it is opened again',
      /opened again/,
      ({ store, notes }) => ({
        id: async () => `${await store.id()}-${notes.has('closed')}`,
        close: async () => void notes.set('closed', true),
      }),
    ],
  ],
  'its URL is one, without a secret': [
    ['shows its password', /credentials/, () => ({ url: 'ftp://somebody:something@host/folder' })],
    ['shows its token', /credentials/, () => ({ url: 'npm:my-adapter?access_token=1' })],
    ['shows a secret', /a secret/, () => ({ url: 'npm:my-adapter?as=hunter2' })],
    ['has no URL', /input/, () => ({ url: '' })],
  ],
  'to close twice is harmless': [
    [
      'cannot be closed twice',
      /not open/,
      () => {
        let closed = false;
        return { close: async () => void (closed ? notOpen() : (closed = true)) };
      },
    ],
    ['does not come to the end of close', /close did not end/, () => ({ close: never })],
  ],
  'to close one of two leaves the other open': [
    [
      'closes for all',
      /not open/,
      ({ store, notes }) => ({
        get: async (key) => {
          if (notes.has('closed')) notOpen();
          return store.get(key);
        },
        close: async () => void notes.set('closed', true),
      }),
    ],
  ],
  'what is asked after it was closed ends: done, or with an Error': [
    ['hangs in get once it is closed', /get, after close, did not end/, ({ store }) => afterClose(store, 'get', never)],
    ['hangs in put once it is closed', /put, after close, did not end/, ({ store }) => afterClose(store, 'put', never)],
    ['throws in has once it is closed', /has throws instead/, ({ store }) => afterClose(store, 'has', notOpen)],
    ['throws in list once it is closed', /list throws instead/, ({ store }) => afterClose(store, 'list', notOpen)],
    ['rejects with a text', /no Error/, ({ store }) => afterClose(store, 'delete', () => Promise.reject('closed'))],
  ],
  'close lets what is being put come to its end': [
    [
      'forgets what is being put when it is closed',
      /is lost/,
      ({ store }) => {
        let closed = false;
        return {
          put: async (key, bytes) => {
            await sleep(1);
            if (!closed) await store.put(key, bytes);
          },
          close: async () => void (closed = true),
        };
      },
    ],
    [
      'never ends a put that close came before',
      /put, while the store was closed, did not end/,
      ({ store }) => {
        let closed = false;
        return {
          put: async (key, bytes) => {
            await sleep(1);
            await (closed ? never() : store.put(key, bytes));
          },
          close: async () => void (closed = true),
        };
      },
    ],
  ],
};
