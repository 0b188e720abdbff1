import { randomBytes } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { hasZstd, parseEnvelope } from '../../src/core/envelope.ts';
import { sha256 } from '../../src/core/hash.ts';
import type { ChunkRef } from '../../src/core/manifest.ts';
import { checkManifest, parseSnapshot } from '../../src/core/snapshot-schema.ts';
import { IntegrityError } from '../../src/errors.ts';
import { type BlobStore, blobKey } from '../../src/storage/blob-store.ts';
import { contextStore, type LooseChunk } from '../../src/storage/context-store.ts';
import { memoryStore } from '../../storage-adapters/memory/index.ts';

const file = (chunks: [string, number][]) => ({
  path: 'transcript.jsonl',
  size: chunks.reduce((sum, [, size]) => sum + size, 0),
  chunks,
});
const readAll = async (parts: AsyncIterable<Buffer>) => Buffer.concat(await Array.fromAsync(parts));

test('chunks that follow each other come back from a store that somebody else opens', async () => {
  const blobs = memoryStore();
  const writer = contextStore(blobs);
  const contents = ['one ', 'two ', 'three '].map((text) => Buffer.from(text.repeat(1000)));
  const chunks: [string, number][] = [];
  for (const content of contents) chunks.push(await writer.putChunk(content, chunks.at(-1) ?? null));
  await writer.flush();
  expect((await readAll(contextStore(blobs).readFile(file(chunks)))).equals(Buffer.concat(contents))).toBe(true);
  const [last] = chunks.slice(-1) as [[string, number]];
  expect((await readAll(contextStore(blobs).readFile(file([last])))).equals(contents[2] as Buffer)).toBe(true);
});

test('content that is there already is not stored again', async () => {
  const blobs = memoryStore();
  const store = contextStore(blobs);
  const content = Buffer.from('the same');
  await store.putChunk(content, null);
  await store.putChunk(content, await store.putChunk(Buffer.from('another'), null));
  await store.flush();
  expect(await Array.fromAsync(blobs.list('blobs/'))).toHaveLength(2);
});

/** Alike, so that one helps to compress another, but not itself. */
const alike = randomBytes(1000).toString('hex');
const kib = (text: string) => Buffer.from(alike + text);

/** Stores contents one after the other, each by a process of its own as commits do, and gives the chunks that are loose then. */
async function commitEach(blobs: BlobStore, contents: Buffer[]): Promise<{ chunks: ChunkRef[]; loose: LooseChunk[] }> {
  const [chunks, loose]: [ChunkRef[], LooseChunk[]] = [[], []];
  for (const content of contents) {
    const store = contextStore(blobs);
    chunks.push(await store.putChunk(content, chunks.at(-1) ?? null, { loose: (chunk) => loose.push(chunk) }));
    await store.flush();
  }
  return { chunks, loose };
}

const envelopeOf = async (blobs: BlobStore, [hash]: ChunkRef) => parseEnvelope((await blobs.get(blobKey(hash))) as Buffer, hash);

describe.runIf(hasZstd)('chunks that were stored loose', () => {
  const contents = ['one two three ', 'four five six ', 'seven eight '].map(kib);

  test('can be read before and after they are packed, by whoever packs them, as often as they like', async () => {
    const blobs = memoryStore();
    const { chunks, loose } = await commitEach(blobs, contents);
    expect(loose).toEqual([1, 2].map((at) => ({ hash: chunks[at]?.[0], before: chunks[at - 1]?.[0] })));
    const whole = Buffer.concat(contents);
    expect((await readAll(contextStore(blobs).readFile(file(chunks)))).equals(whole)).toBe(true);
    const [one, other] = [contextStore(blobs), contextStore(blobs)];
    for (const chunk of loose) await Promise.all([one.pack(chunk), other.pack(chunk), one.pack(chunk)]);
    expect((await envelopeOf(blobs, chunks[2] as ChunkRef)).base).toBe(chunks[1]?.[0]);
    expect((await readAll(contextStore(blobs).readFile(file(chunks)))).equals(whole)).toBe(true);
  });

  test('whose predecessor nobody packs any more are packed against it all the same', async () => {
    const blobs = memoryStore();
    const { chunks, loose } = await commitEach(blobs, contents);
    await contextStore(blobs).pack(loose[1] as LooseChunk);
    expect(await envelopeOf(blobs, chunks[1] as ChunkRef)).toMatchObject({ base: null, loose: false });
    expect(await envelopeOf(blobs, chunks[2] as ChunkRef)).toMatchObject({ base: chunks[1]?.[0], loose: false });
    expect((await readAll(contextStore(blobs).readFile(file(chunks)))).equals(Buffer.concat(contents))).toBe(true);
  });

  test('are the base of none: what follows one before it is packed starts a chain of its own', async () => {
    const blobs = memoryStore();
    const { chunks } = await commitEach(blobs, contents);
    const store = contextStore(blobs);
    const next = await store.putChunk(kib('nine ten '), chunks.at(-1) as ChunkRef);
    await store.flush();
    expect((await envelopeOf(blobs, next)).base).toBeNull();
  });

  test.each([
    ['a b', 'b a'],
    ['a b a', 'b a b'],
    ['a b c', 'c b a'],
  ])('never make a circle where files have the same chunks in another order (%s, %s)', async (...orders) => {
    const blobs = memoryStore();
    const files = [];
    for (const order of orders)
      files.push(
        await commitEach(
          blobs,
          order.split(' ').map((word) => kib(`${word} `)),
        ),
      );
    const all = files.flatMap(({ loose }) => loose);
    const stores = all.map(() => contextStore(blobs));
    await Promise.all(all.map((chunk, at) => stores[at]?.pack(chunk)));
    for (const [at, { chunks }] of files.entries()) {
      const text = (await readAll(contextStore(blobs).readFile(file(chunks)))).toString();
      expect(text).toBe(
        orders[at]
          ?.split(' ')
          .map((word) => String(kib(`${word} `)))
          .join(''),
      );
    }
  });

  test('stay as they are when the one before them is missing', async () => {
    const blobs = memoryStore();
    const { chunks, loose } = await commitEach(blobs, contents);
    await blobs.delete(blobKey(chunks[1]?.[0] as string));
    await expect(contextStore(blobs).pack(loose[1] as LooseChunk)).rejects.toThrow(IntegrityError);
    expect((await readAll(contextStore(blobs).readFile(file(chunks.slice(2))))).equals(contents[2] as Buffer)).toBe(true);
  });
});

test.each([1, 2, 3])('a circle of %i bases is damage, not work without end', async (length) => {
  const hashes = Array.from({ length }, (_, at) => sha256(String(at)));
  const blobs = memoryStore();
  for (const [at, hash] of hashes.entries()) {
    const base = Buffer.from(hashes[(at + 1) % length] as string, 'hex');
    const header = Buffer.from([...Buffer.from('CCX1'), 2, 0, 0, 0, 1, 1]);
    await blobs.put(blobKey(hash), Buffer.concat([header, base, Buffer.alloc(1024)]));
  }
  await expect(readAll(contextStore(blobs).readFile(file([[hashes[0] as string, 1]])))).rejects.toThrow(IntegrityError);
});

test('a manifest whose sizes do not add up, or that is no JSON, is refused', async () => {
  const session = {
    session_id: '770e8400-e29b-41d4-a716-446655440002',
    agent: 'claude-code',
    agent_version: null,
    account: null,
    cwd: '.',
    directory: null,
    message_count: 1,
    redactions: 0,
    started_at: null,
    ended_at: null,
  };
  const manifest = (size: number) => ({
    version: 1,
    created_at: '2026-01-01T00:00:00Z',
    parent_commit: null,
    sessions: [
      {
        ...session,
        files: [
          {
            path: 'transcript.jsonl',
            size,
            chunks: [
              ['0'.repeat(64), 8],
              ['0'.repeat(64), 8],
            ],
          },
        ],
      },
    ],
  });
  expect(checkManifest(manifest(16))).toHaveProperty('manifest');
  expect(checkManifest(manifest(1))).toHaveProperty('problem');
});

test('a snapshot file that is nested by the thousand is refused', () => {
  expect(parseSnapshot(Buffer.from(`{"deep":${'['.repeat(200_000)}${']'.repeat(200_000)}}`))).toHaveProperty('problem');
});
