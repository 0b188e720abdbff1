import { expect, test } from 'vitest';
import { sha256 } from '../../src/core/hash.ts';
import { checkManifest, parseSnapshot } from '../../src/core/snapshot-schema.ts';
import { IntegrityError } from '../../src/errors.ts';
import { blobKey } from '../../src/storage/blob-store.ts';
import { contextStore } from '../../src/storage/context-store.ts';
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
