import { setImmediate } from 'node:timers/promises';
import { expect, test } from 'vitest';
import type { BlobStore } from '../../src/storage/blob-store.ts';
import type { Opened } from '../../src/testing/index.ts';
import { memoryStore } from '../../storage-adapters/memory/index.ts';
import { outcomes } from './collecting.ts';
import { silent, unreachable } from './mutants/broken.ts';
import { concurrencyMutants } from './mutants/concurrency.ts';
import { keyMutants } from './mutants/keys.ts';
import { lifetimeMutants } from './mutants/lifetime.ts';
import { optionalMutants } from './mutants/optional.ts';
import type { Parts } from './mutants/parts.ts';
import { valueMutants } from './mutants/values.ts';

/** The suite judges the stores; these stores judge the suite: each breaks one rule, and one check has to say so. */

const mutants = Object.entries({ ...valueMutants, ...keyMutants, ...optionalMutants, ...lifetimeMutants, ...concurrencyMutants });

/** A store in memory whose handles each take a moment for everything, and break a rule. */
function opening(breaks: (parts: Parts) => Partial<BlobStore> = () => ({})): () => Opened {
  return () => {
    const [objects, notes] = [new Map<string, Buffer>(), new Map<string, unknown>()];
    const named = memoryStore();
    const handle = (): BlobStore => {
      const store = overMap(objects, named);
      return { ...store, ...breaks({ store, objects, notes }) };
    };
    return { store: handle(), reopen: handle };
  };
}

/** Does what it has to, on objects that a mutant can get at. */
function overMap(objects: Map<string, Buffer>, { url, id }: BlobStore): BlobStore {
  const later = async <T>(work: () => T): Promise<T> => {
    await setImmediate();
    return work();
  };
  return {
    url,
    id,
    put: (key, bytes) => later(() => void (objects.has(key) || objects.set(key, Buffer.from(bytes)))),
    replace: (key, was, bytes) => later(() => void (objects.get(key)?.equals(was) && objects.set(key, Buffer.from(bytes)))),
    get: (key) => later(() => (objects.has(key) ? Buffer.from(objects.get(key) as Buffer) : null)),
    has: (keys) => later(() => new Set(keys.filter((key) => objects.has(key)))),
    async *list(prefix) {
      await setImmediate();
      for (const key of [...objects.keys()]) if (key.startsWith(prefix)) yield key;
    },
    async *entries(prefix) {
      await setImmediate();
      for (const [key, { length }] of objects) if (key.startsWith(prefix)) yield { key, bytes: length, modified: Date.now() };
    },
    peek: (key, length) => later(() => (objects.has(key) ? Buffer.from(objects.get(key)!.subarray(0, length)) : null)),
    delete: (key) => later(() => void objects.delete(key)),
    close: async () => {},
  };
}

const secrets = ['hunter2'];
/** Who is to be found hanging is not waited for long. */
const optionsFor = (says: RegExp) => ({ secrets, ...(/did not end/.test(says.source) && { patience: 3000 }) });
const saying = (error: unknown) => (error instanceof Error ? error.message : `no Error: ${error}`);

test('a store that breaks no rule passes every check, and every check has a store that fails it', async () => {
  const results = await outcomes(opening(), { secrets, broken: { gone: () => unreachable } });
  expect([...results].filter(([, error]) => error !== null)).toEqual([]);
  expect(mutants.map(([check]) => check).sort()).toEqual([...results.keys()].filter((name) => name !== GONE).sort());
});

test.each(mutants.flatMap(([check, broken]) => broken.map(([rule, says, breaks]) => [rule, check, says, breaks] as const)))(
  'a store that %s fails: %s',
  async (_, check, says, breaks) => {
    const results = await outcomes(opening(breaks), optionsFor(says), check);
    expect(saying(results.get(check))).toMatch(says);
  },
);

test.each(silent)('a store that is not there and %s fails', async (_, says, breaks) => {
  const broken = { gone: () => ({ ...unreachable, ...breaks }) };
  const results = await outcomes(opening(), { ...optionsFor(says), broken }, GONE);
  expect(saying(results.get(GONE))).toMatch(says);
});

const GONE = 'gone: every call says so, and none hangs';
