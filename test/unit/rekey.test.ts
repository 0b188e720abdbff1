import { expect, test } from 'vitest';
import { sha256 } from '../../src/core/hash.ts';
import { newTeamKey, type TeamKey } from '../../src/core/team-key.ts';
import { type BlobStore, blobKey, manifestKey } from '../../src/storage/blob-store.ts';
import { encryptedStore } from '../../src/storage/encrypted-store.ts';
import { keyState, rekey } from '../../src/storage/rekey.ts';
import { sealName } from '../../src/storage/sealed-name.ts';
import { memoryStore } from '../../storage-adapters/memory/index.ts';

const [first, second] = [newTeamKey(), newTeamKey()];
const both: [TeamKey, TeamKey] = [second, first];
const keys = [blobKey(sha256('a')), blobKey(sha256('b')), manifestKey(sha256('c')), `tombstones/sessions/1`];
const valueUnder = (key: string) => Buffer.from(`value of ${key}`);

/** A store in the clear, under the first key, or one half each. */
async function filled(how: 'plain' | 'first' | 'mixed'): Promise<BlobStore> {
  const inner = memoryStore();
  const sealed = encryptedStore(inner, [first]);
  for (const [at, key] of keys.entries())
    await (how === 'plain' || (how === 'mixed' && at % 2 === 0) ? inner : sealed).put(key, valueUnder(key));
  return inner;
}

async function change(inner: BlobStore, options: { keep?: boolean } = {}) {
  return (await rekey(inner, both, await keyState(inner, both), options)).problems;
}

async function expectReadable(inner: BlobStore, held: [TeamKey, ...TeamKey[]]): Promise<void> {
  const reader = encryptedStore(inner, held);
  for (const key of keys) expect(await reader.get(key)).toEqual(valueUnder(key));
  expect((await Array.fromAsync(reader.list(''))).sort()).toEqual([...keys].sort());
}

/** Stops for good before a change, as a process that is killed; looks around after each one. */
function killedAfter(changes: number, inner: BlobStore, look: () => Promise<void>): BlobStore {
  let left = changes;
  const step = async (work: () => Promise<void>) => {
    if (left === 0) throw new Error('killed');
    left -= 1;
    await work();
    await look();
  };
  return {
    ...inner,
    put: (key, bytes) => step(() => inner.put(key, bytes)),
    delete: (key) => step(() => inner.delete(key)),
  };
}

test.each(['plain', 'first', 'mixed'] as const)(
  'killed at any moment, nothing is unreadable for who has both keys, and it goes on (%s)',
  async (how) => {
    let killed = 0;
    for (let changes = 0; ; changes += 1) {
      const inner = await filled(how);
      const run = change(killedAfter(changes, inner, () => expectReadable(inner, both)));
      const error = await run.then(
        () => null,
        (error: Error) => error.message,
      );
      await expectReadable(inner, both);
      if (error !== null) killed += 1;
      expect(error).toBe(error === null ? null : 'killed');
      expect(await change(inner)).toEqual([]);
      await expectReadable(inner, [second]);
      expect(await Array.fromAsync(inner.list(''))).toHaveLength(keys.length);
      if (error === null) break;
    }
    expect(killed).toBe(2 * keys.length);
  },
);

test('with keep the holders of the old key read on; without it nothing is left for it', async () => {
  const inner = await filled('first');
  expect(await change(inner, { keep: true })).toEqual([]);
  await expectReadable(inner, [second, first]);
  for (const key of keys) expect(await encryptedStore(inner, [first]).get(key)).toEqual(valueUnder(key));
  for (const key of keys) expect(await encryptedStore(inner, [second]).get(key)).toEqual(valueUnder(key));
  expect(await change(inner)).toEqual([]);
  await expectReadable(inner, [second]);
  await expect(encryptedStore(inner, [first]).get(keys[0] as string)).rejects.toThrow('another key');
});

test('done twice it does nothing more', async () => {
  const inner = await filled('first');
  await change(inner);
  const before = await Promise.all((await Array.fromAsync(inner.list(''))).map((name) => inner.get(name)));
  expect((await keyState(inner, both)).outdated).toEqual([]);
  expect(await change(inner)).toEqual([]);
  expect(await Promise.all((await Array.fromAsync(inner.list(''))).map((name) => inner.get(name)))).toEqual(before);
});

test('two at once', async () => {
  const inner = await filled('mixed');
  expect((await Promise.all([change(inner), change(inner)])).flat()).toEqual([]);
  await expectReadable(inner, [second]);
});

test.each(['old', 'new'] as const)('a damaged object under the %s key is named, and the old one left', async (which) => {
  const inner = await filled('first');
  const [key] = keys as [string];
  await encryptedStore(inner, both).put(key, valueUnder(key));
  const [old, young] = [sealName(key, first), sealName(key, second)];
  if (which === 'old') await inner.delete(young);
  const name = which === 'old' ? old : young;
  const was = (await inner.get(name)) as Buffer;
  await inner.replace?.(name, was, Buffer.concat([was.subarray(0, -1), Buffer.of((was.at(-1) as number) ^ 1)]));
  expect((await change(inner)).map(({ message }) => message)).toEqual([`The stored object ${key} is damaged.`]);
  expect(await inner.has([old])).toEqual(new Set([old]));
  for (const other of keys.slice(1)) expect(await encryptedStore(inner, [second]).get(other)).toEqual(valueUnder(other));
});

test('what does not keep its promise to store loses nothing', async () => {
  const inner = await filled('first');
  const problems = await change({ ...inner, put: async () => {} });
  expect(problems).toHaveLength(keys.length);
  expect(problems[0]?.message).toMatch(/is not there; the object was left as it is/);
  await expectReadable(inner, both);
});

test('objects under a key that is not at hand, or that nobody has made, are told and left', async () => {
  const inner = await filled('first');
  const third = newTeamKey();
  await encryptedStore(inner, [third]).put(keys[0] as string, valueUnder('third'));
  const nobodys = `blobs/${first.id}/aaaa`;
  await inner.put(nobodys, Buffer.from('x'));
  const { problems } = await keyState(inner, both);
  expect(problems.map(({ message }) => message)).toEqual([
    `The object ${nobodys} in memory: is none of cc-context's.`,
    expect.stringContaining(`another key (${third.id})`),
  ]);
  await change(inner);
  expect(await encryptedStore(inner, [third]).get(keys[0] as string)).toEqual(valueUnder('third'));
  expect(await inner.has([nobodys])).toEqual(new Set([nobodys]));
});
