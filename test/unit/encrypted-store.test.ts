import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { damaged } from '../../src/core/envelope.ts';
import { sha256 } from '../../src/core/hash.ts';
import { newTeamKey, type TeamKey, teamKey } from '../../src/core/team-key.ts';
import { IntegrityError } from '../../src/errors.ts';
import { type BlobStore, blobKey, type Entry } from '../../src/storage/blob-store.ts';
import { encryptedStore } from '../../src/storage/encrypted-store.ts';
import { kindOfName, openName, sealName } from '../../src/storage/sealed-name.ts';
import { OVERHEAD, openObject, sealObject } from '../../src/storage/sealed-object.ts';
import { memoryStore } from '../../storage-adapters/memory/index.ts';

const by = teamKey(Buffer.alloc(32, 7));
const other = newTeamKey();
const key = blobKey(sha256('a'));
const value = Buffer.from('the quick brown fox');

/** A store that notes every call to it. */
function noted(store: BlobStore): { store: BlobStore; calls: [string, unknown][] } {
  const calls: [string, unknown][] = [];
  const handler: ProxyHandler<BlobStore> = {
    get: (target, name: keyof BlobStore) => {
      const method = target[name];
      if (typeof method !== 'function') return method;
      return (...args: unknown[]) => {
        calls.push([name, args[0]]);
        return (method as (...args: unknown[]) => unknown).apply(target, args);
      };
    },
  };
  return { store: new Proxy(store, handler), calls };
}
const all = <T>(listing: AsyncIterable<T>) => Array.fromAsync(listing);

describe('names', () => {
  const parts = fc.stringMatching(/^[a-z0-9][a-z0-9._-]{0,40}$/);
  const keys = fc.oneof(
    fc.string({ unit: fc.constantFrom(...'0123456789abcdef'), minLength: 64, maxLength: 64 }).map(blobKey),
    fc.array(parts, { minLength: 2, maxLength: 4 }).map((all) => all.join('/')),
  );

  test('lead back to their key, and only with the key that made them', () => {
    fc.assert(
      fc.property(keys, (plain) => {
        const name = sealName(plain, by);
        expect(openName(name, by)).toBe(plain);
        expect(openName(name, other)).toBe(null);
        expect(openName(name.replace(by.id, other.id), other)).toBe(null);
        expect(sealName(plain, by)).toBe(name);
        expect(kindOfName(name)).toEqual({ key_id: by.id, class: plain.split('/')[0] });
      }),
    );
  });

  test.each([
    key,
    `manifests/${sha256('a')}`,
    'tombstones/sessions/0b5a0f5e-3d1c-4a8e-9a57-2f6f0a1d9c11',
    'removals/20260101t000000z-0a1b2c3d',
  ])('%s becomes one that every adapter takes and that tells nothing of it', (plain) => {
    const name = sealName(plain, by);
    expect(name).toMatch(/^[a-z]+\/[0-9a-f]{32}\/[a-z2-7]{20,100}$/);
    for (const word of plain.split(/[/-]/).slice(1)) expect(name).not.toContain(word);
  });

  test('altered at any place they are nobody’s', () => {
    const name = sealName(key, by);
    for (let at = name.lastIndexOf('/') + 1; at < name.length; at += 1)
      for (const letter of 'ay7') {
        const altered = name.slice(0, at) + letter + name.slice(at + 1);
        if (altered !== name) expect(openName(altered, by)).toBe(null);
      }
    for (const altered of [`${name}a`, name.slice(0, -1), name.replace('blobs', 'manifests'), `blobs/${by.id}/aaaa`])
      expect(openName(altered, by)).toBe(null);
  });

  test('the form is the one that is documented', () => {
    // Computed with Python's hmac and cryptography from docs/security.md.
    expect(sealName(key, by)).toBe(KNOWN_NAME);
    expect(openObject(Buffer.from(KNOWN_OBJECT, 'hex'), key, by)).toEqual(value);
  });
});

const KNOWN_NAME =
  'blobs/12deec9370b004464c0adef2c2f99230/chotirt4q5cxjy35qt4xvjgbqdy6q2bmto24gnd75ztm2ejsiqocigvsjtylmmmsylcxz37xe2c6vna';
const KNOWN_OBJECT =
  '4343453112deec9370b004464c0adef2c2f99230000102030405060708090a0b3589100873406c4fda11dc23d3c569036f67518a1d7492276a62d39c27f0eba0b7ef4b';

describe('values', () => {
  test.each([0, 1, 15, 16, 17, 100_000])('of %d bytes come back, and are never the same twice', (length) => {
    const bytes = Buffer.alloc(length, 'x');
    const [one, two] = [sealObject(bytes, key, by), sealObject(bytes, key, by)];
    expect(openObject(one, key, by).equals(bytes)).toBe(true);
    expect(openObject(two, key, by).equals(bytes)).toBe(true);
    expect(one.equals(two)).toBe(false);
    expect(one.length).toBe(length + OVERHEAD);
  });

  const sealed = sealObject(value, key, by);
  const damage = damaged(key);
  test('every bit of every byte counts', () => {
    for (let at = 0; at < sealed.length; at += 1)
      for (let bit = 0; bit < 8; bit += 1) {
        const altered = Buffer.from(sealed);
        altered[at] = (altered[at] as number) ^ (1 << bit);
        expect(() => openObject(altered, key, by), `byte ${at}, bit ${bit}`).toThrow(damage);
      }
  });

  test('every length but its own', () => {
    for (let length = 0; length < sealed.length; length += 1)
      expect(() => openObject(sealed.subarray(0, length), key, by)).toThrow(damage);
    expect(() => openObject(Buffer.concat([sealed, Buffer.alloc(1)]), key, by)).toThrow(damage);
  });

  test('under another name, or with another key', () => {
    expect(() => openObject(sealed, blobKey(sha256('b')), by)).toThrow('is damaged');
    expect(() => openObject(sealed, key.replace('blobs', 'manifests'), by)).toThrow('is damaged');
    expect(() => openObject(sealed, key, other)).toThrow(damage);
  });
});

test('what is stored tells neither names nor values; objects that changed places are found out', async () => {
  const inner = memoryStore();
  const store = encryptedStore(inner, [by]);
  const keys = ['a', 'b'].map((text) => blobKey(sha256(text)));
  for (const one of keys) await store.put(one, Buffer.from(`${one} the secret`));
  const [first, second] = (await all(inner.list(''))) as [string, string];
  for (const name of [first, second]) {
    const bytes = (await inner.get(name)) as Buffer;
    const hashes = keys.map((one) => one.slice('blobs/'.length));
    for (const planted of [...hashes, 'the secret'])
      expect([name.includes(planted), bytes.includes(planted)]).toEqual([false, false]);
    for (const hash of hashes) expect(bytes.includes(Buffer.from(hash, 'hex'))).toBe(false);
  }
  const [one, two] = [(await inner.get(first)) as Buffer, (await inner.get(second)) as Buffer];
  await inner.replace?.(first, one, two);
  await expect(store.get(keys[0] as string)).rejects.toThrow(IntegrityError);
  expect(await store.get(keys[1] as string)).toEqual(Buffer.from(`${keys[1]} the secret`));
});

test('one content has one name: two machines store it once, and the first one stays', async () => {
  const inner = memoryStore();
  for (const text of ['first', 'second']) await encryptedStore(inner, [by]).put(key, Buffer.from(text));
  expect(await all(inner.list(''))).toHaveLength(1);
  expect(String(await encryptedStore(inner, [by]).get(key))).toBe('first');
});

test('requests: one for each call, also to list; a miss lists its class once', async () => {
  const { store: inner, calls } = noted(memoryStore());
  const store = encryptedStore(inner, [by]);
  const made = async (work: () => Promise<unknown>) => {
    calls.length = 0;
    await work();
    return calls.map(([name]) => name);
  };
  expect(await made(() => store.put(key, value))).toEqual(['put']);
  expect(await made(() => store.get(key))).toEqual(['get']);
  expect(await made(() => store.has([key, blobKey(sha256('b'))]))).toEqual(['has']);
  expect(await made(() => all(store.list('blobs/')))).toEqual(['list']);
  expect(await made(() => store.get(blobKey(sha256('b'))))).toEqual(['get', 'list', 'get']);
  expect(await made(() => store.get(blobKey(sha256('c'))))).toEqual(['get', 'get']);
  expect(await made(() => store.delete(key))).toEqual(['delete']);
});

describe('another key', () => {
  const said = new RegExp(
    `^The store memory: has objects that are encrypted with another key \\(${by.id}\\) than yours \\(${other.id}\\)\\.$`,
  );
  test.each<[string, (store: BlobStore) => Promise<unknown>]>([
    ['get', (store) => store.get(key)],
    ['list', (store) => all(store.list('blobs/'))],
    ['delete', (store) => store.delete(key)],
  ])('%s says so, in one sentence, with a next step', async (_, call) => {
    const inner = memoryStore();
    await encryptedStore(inner, [by]).put(key, value);
    const error = await call(encryptedStore(inner, [other])).catch((error: unknown) => error);
    expect(error).toBeInstanceOf(IntegrityError);
    expect((error as IntegrityError).message).toMatch(said);
    expect((error as IntegrityError).next).toMatch(/^Ask your team for the key file/);
    expect(await encryptedStore(inner, [by]).get(key)).toEqual(value);
  });

  test('cannot tell whether a content is there', async () => {
    const inner = memoryStore();
    await encryptedStore(inner, [by]).put(key, value);
    expect(await encryptedStore(inner, [other]).has([key])).toEqual(new Set());
  });
});

describe('while keys change', () => {
  const both: [TeamKey, TeamKey] = [other, by];
  const halfway = async () => {
    const inner = memoryStore();
    await encryptedStore(inner, [by]).put(key, value);
    return { inner, store: encryptedStore(inner, both) };
  };

  test('who has both reads, has, lists once and deletes all of it', async () => {
    const { inner, store } = await halfway();
    expect(await store.get(key)).toEqual(value);
    expect(await store.has([key])).toEqual(new Set([key]));
    await store.put(key, value);
    expect(await all(inner.list(''))).toHaveLength(2);
    expect(await all(store.list(''))).toEqual([key]);
    await store.delete(key);
    expect(await all(inner.list(''))).toEqual([]);
    expect(await store.get(key)).toBe(null);
  });

  test('an object that moves between two looks is found', async () => {
    const { inner } = await halfway();
    let moved = false;
    const moving: BlobStore = {
      ...inner,
      async get(name) {
        const found = await inner.get(name);
        if (!moved && found === null) {
          // Just after the reader has seen nothing under the new key.
          await inner.put(sealName(key, other), sealObject(value, key, other));
          await inner.delete(sealName(key, by));
          moved = true;
        }
        return found;
      },
    };
    expect(await encryptedStore(moving, both).get(key)).toEqual(value);
    expect(moved).toBe(true);
  });

  test('an entry is as young as its youngest copy', async () => {
    const entriesOf = (...found: [string, number | null][]): BlobStore => ({
      ...memoryStore(),
      async *entries() {
        for (const [name, modified] of found) yield { key: name, bytes: OVERHEAD + 19, modified };
      },
    });
    const entry = (modified: number | null): Entry[] => [{ key, bytes: 19, modified }];
    const [old, young] = [sealName(key, by), sealName(key, other)];
    const entries = async (store: BlobStore) => Array.fromAsync(encryptedStore(store, both).entries?.('blobs/') ?? []);
    expect(await entries(entriesOf([old, 1], [young, 2]))).toEqual(entry(2));
    expect(await entries(entriesOf([young, 2], [old, 1]))).toEqual(entry(2));
    expect(await entries(entriesOf([young, null], [old, 1]))).toEqual(entry(null));
    expect(await entries(entriesOf([old, 1], [young, null]))).toEqual(entry(null));
    expect(encryptedStore(memoryStore(), both).entries).toBe(undefined);
  });
});

describe('what was there before encryption', () => {
  test('is read, listed and deleted, but does not count as there', async () => {
    const inner = memoryStore();
    await inner.put(key, value);
    const store = encryptedStore(inner, [by]);
    expect(await store.get(key)).toEqual(value);
    expect(await store.has([key])).toEqual(new Set());
    await store.put(blobKey(sha256('b')), value);
    expect((await all(store.list('blobs/'))).sort()).toEqual([key, blobKey(sha256('b'))].sort());
    await store.delete(key);
    expect(await inner.get(key)).toBe(null);
  });

  test('is never asked for by a name that is not there', async () => {
    const { store: inner, calls } = noted(memoryStore());
    const store = encryptedStore(inner, [by]);
    await store.get(key);
    await store.delete(key);
    await store.has([key]);
    await store.put(key, value);
    await all(store.list(key));
    const asked = calls.flatMap(([, argument]) => argument);
    expect(asked.length).toBeGreaterThan(5);
    for (const argument of asked) expect(argument).toMatch(/^blobs\/([0-9a-f]{32}\/[a-z2-7]+)?$/);
  });
});
