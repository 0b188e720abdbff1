import { getting, type Mutants, putting } from './parts.ts';

export const valueMutants: Mutants = {
  'gives back what was put, byte for byte': [
    ['truncates', /bytes, not/, ({ store }) => putting(store, (bytes) => bytes.subarray(0, -1))],
    ['stores text', /bytes, not/, ({ store }) => putting(store, (bytes) => Buffer.from(String(bytes)))],
    ['alters a byte', /another value, from byte 127/, ({ store }) => getting(store, (bytes) => bytes.fill(1, 127, 128))],
    [
      'stores from the start of the memory behind a buffer',
      /another value/,
      ({ store }) => putting(store, (bytes) => Buffer.from(bytes.buffer, 0, bytes.length)),
    ],
    ['gives a Uint8Array', /no Buffer/, ({ store }) => getting(store, (bytes) => new Uint8Array(bytes))],
  ],
  'takes an empty value': [
    ['has no empty values', /not there/, ({ store }) => getting(store, (bytes) => (bytes.length === 0 ? null : bytes))],
    [
      'takes no empty values',
      /not there/,
      ({ store }) => ({ put: async (key, bytes) => (bytes.length === 0 ? undefined : store.put(key, bytes)) }),
    ],
  ],
  'takes a value of 9 MB, and keeps it': [
    ['cuts at 8 MiB', /8388608 bytes, not/, ({ store }) => putting(store, (bytes) => bytes.subarray(0, 8 * 2 ** 20))],
    [
      'overwrites large values',
      /another value/,
      ({ store }) => ({
        put: async (key, bytes) => {
          if (bytes.length > 8 * 2 ** 20) await store.delete(key);
          await store.put(key, bytes);
        },
      }),
    ],
  ],
  'a key that is not there is null': [
    [
      'gives undefined for none',
      /undefined/,
      ({ store }) => ({ get: async (key) => (await store.get(key)) ?? (undefined as never) }),
    ],
    ['gives nothing for none', /Buffer/, ({ store }) => ({ get: async (key) => (await store.get(key)) ?? Buffer.alloc(0) })],
    [
      'rejects for none',
      /ENOENT/,
      ({ store }) => ({
        get: async (key) => {
          const bytes = await store.get(key);
          if (bytes === null) throw new Error('ENOENT: no such file');
          return bytes;
        },
      }),
    ],
    [
      'looks at the hash alone',
      /Buffer/,
      ({ store, objects }) => ({
        get: async (key) =>
          (await store.get(key)) ?? [...objects].find(([name]) => name.endsWith(key.split('/')[1] ?? ''))?.[1] ?? null,
      }),
    ],
  ],
  'a key keeps its first value, and to put again is no error': [
    [
      'overwrites',
      /another value|bytes, not/,
      ({ objects }) => ({ put: async (key, bytes) => void objects.set(key, Buffer.from(bytes)) }),
    ],
    [
      'is an error where the key is there',
      /EEXIST/,
      ({ store }) => ({
        put: async (key, bytes) => {
          if ((await store.has([key])).size > 0) throw new Error('EEXIST: file exists');
          await store.put(key, bytes);
        },
      }),
    ],
  ],
  'a value does not change with the buffers that were given and got': [
    [
      'keeps the buffer that it was given',
      /another value/,
      ({ objects }) => ({ put: async (key, bytes) => void (objects.has(key) || objects.set(key, bytes)) }),
    ],
    ['gives the buffer that it keeps', /another value/, ({ objects }) => ({ get: async (key) => objects.get(key) ?? null })],
  ],
  'replace, where it has one, changes only the value that it was made from, and only where it is': [
    [
      'replaces whatever is there',
      /bytes, not|another value/,
      ({ objects }) => ({
        replace: async (key, _, bytes) => void (objects.has(key) && objects.set(key, bytes)),
      }),
    ],
    [
      'replaces what is not there',
      /null/,
      ({ objects }) => ({
        replace: async (key, was, bytes) => void ((objects.get(key) ?? was).equals(was) && objects.set(key, bytes)),
      }),
    ],
    ['replaces nothing', /bytes, not|another value/, () => ({ replace: async () => {} })],
  ],
};
