import { setTimeout as sleep } from 'node:timers/promises';
import type { Mutants } from './parts.ts';

export const concurrencyMutants: Mutants = {
  'what one has put or deleted, another one sees at once': [
    [
      'writes when it is closed',
      /not there/,
      ({ store }) => {
        const own = new Map<string, Buffer>();
        return {
          put: async (key, bytes) => void own.set(key, Buffer.from(bytes)),
          get: async (key) => own.get(key) ?? store.get(key),
          close: async () => {
            for (const [key, bytes] of own) await store.put(key, bytes);
          },
        };
      },
    ],
    [
      'remembers what it has got',
      /Buffer/,
      ({ store }) => {
        const got = new Map<string, Buffer | null>();
        return { get: async (key) => got.get(key) ?? (got.set(key, await store.get(key)), got.get(key) ?? null) };
      },
    ],
  ],
  'many put one key at once: one value wins, and stays': [
    [
      'looks first and writes then',
      /a value changed/,
      ({ objects }) => ({
        put: async (key, bytes) => {
          if (objects.has(key)) return;
          await sleep(bytes.length / 20_000);
          objects.set(key, Buffer.from(bytes));
        },
      }),
    ],
    [
      'appends what is put at the same time',
      /none of the values/,
      ({ objects }) => ({
        put: async (key, bytes) => {
          if (objects.has(key)) return;
          await sleep(1);
          objects.set(key, Buffer.concat([objects.get(key) ?? Buffer.alloc(0), bytes]));
        },
      }),
    ],
  ],
  'many keys at once, a large value among them': [
    [
      'loses what is put at the same time',
      /not there/,
      ({ store, notes }) => ({
        put: async (key, bytes) => {
          if (notes.get('busy') === true) return;
          notes.set('busy', true);
          await sleep(1);
          await store.put(key, bytes);
          notes.set('busy', false);
        },
      }),
    ],
  ],
  'who reads while another writes sees the whole value or none': [
    [
      'writes piece by piece',
      /bytes, not/,
      ({ objects }) => ({
        put: async (key, bytes) => {
          if (objects.has(key)) return;
          objects.set(key, Buffer.from(bytes.subarray(0, bytes.length / 2)));
          await sleep(4);
          objects.set(key, Buffer.from(bytes));
        },
      }),
    ],
    [
      'lists its temporary files',
      /nobody has put/,
      ({ store, objects }) => ({
        put: async (key, bytes) => {
          objects.set(`${key}.tmp`, bytes);
          await sleep(4);
          objects.delete(`${key}.tmp`);
          await store.put(key, bytes);
        },
      }),
    ],
    [
      'lists a key before it has a value',
      /not there/,
      ({ store, notes }) => ({
        put: async (key, bytes) => {
          notes.set(key, true);
          await sleep(4);
          await store.put(key, bytes);
          notes.delete(key);
        },
        async *list(prefix) {
          yield* store.list(prefix);
          for (const key of notes.keys()) if (key.startsWith(prefix)) yield key;
        },
      }),
    ],
  ],
  'many delete and put at once, and no value is half there': [
    [
      'deletes piece by piece',
      /nobody has put/,
      ({ store, objects }) => ({
        delete: async (key) => {
          const bytes = objects.get(key);
          if (bytes !== undefined) objects.set(key, bytes.subarray(0, 1));
          await sleep(1);
          await store.delete(key);
        },
      }),
    ],
  ],
};
