import { setTimeout } from 'node:timers/promises';
import { expect, test } from 'vitest';
import type { ChunkRef, Manifest } from '../../src/core/manifest.ts';
import type { BlobStore } from '../../src/storage/blob-store.ts';
import { contextStore, type LooseChunk } from '../../src/storage/context-store.ts';
import { RemovedMeanwhile, type UploadLog, upload } from '../../src/storage/upload.ts';
import { verifyObjects } from '../../src/storage/verify.ts';
import { memoryStore } from '../../storage-adapters/memory/index.ts';

function logInMemory(): UploadLog {
  const known = new Set<string>();
  return {
    missing: (keys) => keys.filter((key) => !known.has(key)),
    add: (keys) => keys.forEach((key) => known.add(key)),
    forget: () => known.clear(),
  };
}

async function manifestOf(store: BlobStore, chunks: ChunkRef[]): Promise<string> {
  const size = chunks.reduce((sum, [, length]) => sum + length, 0);
  const manifest: Manifest = {
    version: 1,
    created_at: '2026-11-20T10:00:00.000Z',
    parent_commit: null,
    sessions: [
      {
        session_id: '0b5a0f5e-3d1c-4a8e-9a57-2f6f0a1d9c11',
        agent: 'claude-code',
        agent_version: null,
        account: null,
        cwd: '.',
        directory: '/x',
        message_count: 0,
        redactions: 0,
        started_at: null,
        ended_at: null,
        files: [{ path: 'transcript.jsonl', size, chunks }],
      },
    ],
  };
  return await contextStore(store).putManifest(manifest);
}

test('a chunk that is uploaded before it is packed: what follows can still be read by others', async () => {
  const [local, remote, log] = [memoryStore(), memoryStore(), logInMemory()];
  const loose: LooseChunk[] = [];
  const chunks: ChunkRef[] = [];
  const vocabulary = Array.from({ length: 2000 }, (_, at) => `word${(at * 7919) % 100_003}`);
  /** As a commit does it: stored loose, in a process of its own. */
  const commit = async (content: string) => {
    const writer = contextStore(local);
    chunks.push(await writer.putChunk(Buffer.from(content), chunks.at(-1) ?? null, { loose: (chunk) => loose.push(chunk) }));
    await writer.flush();
    return await manifestOf(local, [...chunks]);
  };
  const pack = async () => {
    for (const chunk of loose.splice(0)) await contextStore(local).pack(chunk);
  };
  await upload([await commit(vocabulary.join(' '))], { local, remote, log });
  // `git push` comes before the packing of post-commit.
  await upload([await commit(vocabulary.slice(0, 300).join(' '))], { local, remote, log });
  await pack();
  const third = await commit(vocabulary.slice(500, 1500).join(' '));
  await pack();
  await upload([third], { local, remote, log });
  expect((await verifyObjects([third], { get: (key) => remote.get(key) })).problems).toEqual([]);
});

test('what takes long looks once more before others see it', async () => {
  const [local, memory, log] = [memoryStore(), memoryStore(), logInMemory()];
  const writer = contextStore(local);
  const chunk = await writer.putChunk(Buffer.from('said'), null);
  await writer.flush();
  const manifest = await manifestOf(local, [chunk]);
  const slow: BlobStore = { ...memory, put: async (...args) => (await setTimeout(1100), await memory.put(...args)) };
  await expect(upload([manifest], { local, remote: slow, log, isStale: async () => true })).rejects.toThrow(RemovedMeanwhile);
  expect(await Array.fromAsync(memory.list('manifests/'))).toEqual([]);
  let asked = 0;
  expect(await upload([manifest], { local, remote: memory, log, isStale: async () => (asked += 1) > 0 })).toEqual([]);
  expect(asked).toBe(0);
});
