import { describe, expect, test } from 'vitest';
import { sha256 } from '../../src/core/hash.ts';
import type { ChunkRef, Manifest, ManifestSession } from '../../src/core/manifest.ts';
import type { Removal } from '../../src/core/tombstone.ts';
import { Purged } from '../../src/errors.ts';
import { type BlobStore, blobKey, manifestKey } from '../../src/storage/blob-store.ts';
import { contextStore } from '../../src/storage/context-store.ts';
import { planGc, removeUnneeded } from '../../src/storage/gc.ts';
import { entomb, removePurged } from '../../src/storage/purge.ts';
import { planPurge } from '../../src/storage/purge-plan.ts';
import { verifyObjects } from '../../src/storage/verify.ts';
import { memoryStore } from '../../storage-adapters/memory/index.ts';

const SECRET = '0b5a0f5e-3d1c-4a8e-9a57-2f6f0a1d9c11';
const FORK = '11111111-3d1c-4a8e-9a57-2f6f0a1d9c11';
const OTHER = '22222222-3d1c-4a8e-9a57-2f6f0a1d9c11';
const REMOVAL: Removal = {
  version: 1,
  kind: 'purge',
  sessions: [SECRET],
  at: '2026-11-21T10:00:00.000Z',
  by: 'Alice <alice@example.com>',
  reason: 'a password',
};
const NOTHING = { purged: [], kept: [] };

const text = (name: string) => Buffer.from(`${name} ${`${name} said `.repeat(40)}\n`);

function session(session_id: string, chunks: ChunkRef[]): ManifestSession {
  const size = chunks.reduce((sum, [, length]) => sum + length, 0);
  return {
    session_id,
    agent: 'claude-code',
    agent_version: null,
    account: null,
    cwd: '.',
    directory: '/x',
    message_count: chunks.length,
    redactions: 0,
    started_at: null,
    ended_at: null,
    files: [{ path: 'transcript.jsonl', size, chunks }],
  };
}

interface Filled {
  /** Hashes of the manifests, by name. */
  alone: string;
  merged: string;
  fork: string;
  /** What each session says in each context, for those that stay. */
  kept: [manifest: string, session: string, content: string][];
}

/**
 * A session with a secret in its second chunk; its fork, which has the third chunk too and goes on from there, so that it is compressed against
 * the secret; and another session beside it in one context.
 */
async function fill(store: BlobStore): Promise<Filled> {
  const contexts = contextStore(store);
  const put = async (names: string[], before: ChunkRef | null) => {
    const chunks: ChunkRef[] = [];
    for (const name of names) chunks.push(await contexts.putChunk(text(name), chunks.at(-1) ?? before));
    return chunks;
  };
  const manifest = async (created_at: string, sessions: ManifestSession[]) =>
    await contexts.putManifest({ version: 1, created_at, parent_commit: null, sessions } satisfies Manifest);
  const secret = await put(['begin', 'secret', 'after'], null);
  const forked = [secret[0] as ChunkRef, secret[2] as ChunkRef, ...(await put(['fork', 'forked on'], secret[2] as ChunkRef))];
  const other = await put(['other', 'other on'], null);
  const said = (...names: string[]) => names.map((name) => text(name)).join('');
  const alone = await manifest('2026-11-20T10:00:00.000Z', [session(SECRET, secret)]);
  const merged = await manifest('2026-11-20T11:00:00.000Z', [session(OTHER, other), session(SECRET, secret)]);
  const fork = await manifest('2026-11-20T12:00:00.000Z', [session(FORK, forked)]);
  return {
    alone,
    merged,
    fork,
    kept: [
      [merged, OTHER, said('other', 'other on')],
      [fork, FORK, said('begin', 'after', 'fork', 'forked on')],
    ],
  };
}

/** Everything that stays can be read, by somebody who has nothing of it. */
async function expectKept(store: BlobStore, { kept }: Filled): Promise<void> {
  for (const [manifest, id, said] of kept) {
    const contexts = reading(store);
    const { sessions } = await contexts.readManifest(manifest);
    const found = sessions.find(({ session_id }) => session_id === id) as ManifestSession;
    const parts: Buffer[] = [];
    for (const file of found.files) for await (const part of contexts.readFile(file)) parts.push(Buffer.from(part));
    expect(Buffer.concat(parts).toString()).toBe(said);
  }
}

/** A chunk that no manifest names. */
async function putAlone(store: BlobStore, name: string): Promise<string> {
  const contexts = contextStore(store);
  const [hash] = await contexts.putChunk(text(name), null);
  await contexts.flush();
  return hash;
}

/** Somebody who has nothing of an encrypted store. */
const reading = (store: BlobStore) => contextStore(memoryStore(), { ...store, authenticated: true });

/** As an S3 bucket: nothing is replaced in place. */
function shared(store = memoryStore()): BlobStore {
  const { replace: _, ...rest } = store;
  return rest;
}

async function purge(store: BlobStore): Promise<void> {
  const plan = await planPurge(store, [SECRET], NOTHING);
  await entomb(store, plan, REMOVAL);
  await removePurged(store, plan);
}

describe.each([
  ['in place', () => memoryStore()],
  ['by another name', () => shared()],
])('a purge that stores what stays anew %s', (_, open) => {
  test('removes a session, all of it and nothing else', async () => {
    const store = open();
    const filled = await fill(store);
    await expectKept(store, filled);
    const plan = await planPurge(store, [SECRET], NOTHING);
    expect(plan).toMatchObject({
      contexts: expect.arrayContaining([filled.alone, filled.merged]),
      shared_with: [FORK],
      problems: [],
    });
    expect(plan.blobs).toEqual([sha256(text('secret'))]);
    expect(plan.dependents).toEqual(['forked on', 'fork', 'after'].map((name) => sha256(text(name))));
    await purge(store);
    await expectKept(store, filled);
    for await (const key of store.list('')) {
      const bytes = (await store.get(key)) as Buffer;
      expect(bytes.includes('secret said')).toBe(false);
    }
    expect(await store.get(blobKey(sha256(text('secret'))))).toBeNull();
    expect(await store.get(manifestKey(filled.alone))).toBeNull();
    await expect(reading(store).readManifest(filled.alone)).rejects.toThrow(
      expect.objectContaining({
        message: 'Session 0b5a0f5e of this context was purged on 2026-11-21 by Alice <alice@example.com>: a password.',
      }),
    );
    const reader = reading(store);
    expect((await reader.readManifest(filled.merged)).sessions.map(({ session_id }) => session_id)).toEqual([OTHER]);
    expect((await reader.purges(filled.merged)).map(({ reason }) => reason)).toEqual(['a password']);
    expect(await planPurge(store, [SECRET], NOTHING)).toMatchObject({ contexts: [], manifests: [], blobs: [], dependents: [] });
  });

  test('killed before any of its steps: what stays can be read, and it goes on', async () => {
    for (let deaths = 0; ; deaths += 1) {
      const store = open();
      const filled = await fill(store);
      const finished = await dyingAt(store, deaths, purge);
      await expectKept(store, filled);
      await purge(store);
      await expectKept(store, filled);
      const left = await Array.fromAsync(store.list(''));
      expect(left.filter((key) => /^(unfinished|spare)\//.test(key))).toEqual([]);
      expect(left).not.toContain(blobKey(sha256(text('secret'))));
      expect(left.filter((key) => key.startsWith('manifests/'))).toHaveLength(2);
      if (finished) {
        expect(deaths).toBeGreaterThan(10);
        break;
      }
    }
  });
});

test('what is left of a context is not taken from a store that anybody may have written, nor gives way to it', async () => {
  const store = shared();
  const filled = await fill(store);
  await purge(store);
  const reader = contextStore(memoryStore(), store);
  await expect(reader.readManifest(filled.merged)).rejects.toThrow(Purged);
  await expect(reader.readManifest(filled.alone)).rejects.toThrow(Purged);
  expect((await reader.readManifest(filled.fork)).sessions).toHaveLength(1);
});

test('a second purge of a context that was purged before', async () => {
  const store = memoryStore();
  const filled = await fill(store);
  await purge(store);
  const plan = await planPurge(store, [OTHER], NOTHING);
  await entomb(store, plan, { ...REMOVAL, sessions: [OTHER], reason: 'asked for' });
  await removePurged(store, plan);
  const reader = reading(store);
  await expect(reader.readManifest(filled.merged)).rejects.toThrow(/Session 22222222 of this context .*: asked for/);
  expect((await reader.purges(filled.merged)).map(({ reason }) => reason)).toEqual(['a password', 'asked for']);
  await expectKept(store, { ...filled, kept: filled.kept.slice(1) });
});

test('what is captured of a file and named by no manifest goes, or keeps what it shares', async () => {
  const store = memoryStore();
  await fill(store);
  const only = await putAlone(store, 'never committed');
  const captured = { purged: [only], kept: [[OTHER, [sha256(text('secret'))]]] as [string, string[]][] };
  const plan = await planPurge(store, [SECRET], captured);
  expect(plan.blobs).toEqual([only]);
  expect(plan.shared_with).toEqual([FORK, OTHER]);
});

test('gc, killed before any of its steps: what stays can be read, and no manifest is without its blobs', async () => {
  for (let deaths = 0; ; deaths += 1) {
    const store = shared();
    const filled = await fill(store);
    const facts = {
      named: new Set([filled.merged, filled.fork]),
      isOurs: () => true,
      blobs: [],
      before: () => Number.POSITIVE_INFINITY,
      firstSeen: (keys: string[]) => new Map(keys.map((key): [string, number] => [key, 0])),
    };
    const orphan = await putAlone(store, 'orphan');
    const finished = await dyingAt(
      store,
      deaths,
      async (dying) => void (await removeUnneeded(dying, await planGc(dying, facts))),
    );
    const manifests = (await Array.fromAsync(store.list('manifests/'))).map((key) => key.slice('manifests/'.length));
    expect((await verifyObjects(manifests, { get: (key) => store.get(key) })).problems).toEqual([]);
    await expectKept(store, filled);
    if (!finished) continue;
    expect(manifests.sort()).toEqual([filled.merged, filled.fork].sort());
    expect(await store.has([blobKey(orphan)])).toEqual(new Set());
    expect(deaths).toBeGreaterThanOrEqual(2);
    break;
  }
});

test('gc: a listing that is cut short is not trusted', async () => {
  const store = memoryStore();
  const filled = await fill(store);
  const short: BlobStore = {
    ...store,
    async *list(prefix) {
      let count = 0;
      for await (const key of store.list(prefix)) if (prefix !== 'blobs/' || (count += 1) < 4) yield key;
    },
  };
  const facts = { named: new Set([filled.fork]), isOurs: () => true, blobs: [], before: () => 0, firstSeen: () => new Map() };
  await expect(planGc(short, facts)).rejects.toThrow(/The listing of memory: is not complete/);
});

class Killed extends Error {}

/** Does some work with a store that dies before the write number `deaths`. @returns whether it came to its end. */
async function dyingAt(store: BlobStore, deaths: number, work: (dying: BlobStore) => Promise<void>): Promise<boolean> {
  let writes = 0;
  const alive = () => {
    if (writes === deaths) throw new Killed();
    writes += 1;
  };
  const { replace } = store;
  const dying: BlobStore = {
    ...store,
    put: async (key, bytes) => {
      alive();
      await store.put(key, bytes);
    },
    delete: async (key) => {
      alive();
      await store.delete(key);
    },
    ...(replace !== undefined && {
      replace: async (key: string, was: Buffer, bytes: Buffer) => {
        alive();
        await replace(key, was, bytes);
      },
    }),
  };
  try {
    await work(dying);
    return true;
  } catch (error) {
    if (error instanceof Killed) return false;
    throw error;
  }
}

test('a record that was altered or put in the place of another is damaged', async () => {
  const store = memoryStore();
  const filled = await fill(store);
  await purge(store);
  const key = `tombstones/${filled.alone}`;
  const bytes = (await store.get(key)) as Buffer;
  for (let at = 0; at < bytes.length; at += 1) {
    const altered = Buffer.from(bytes);
    altered[at] = (altered[at] as number) ^ 1;
    await store.delete(key);
    await store.put(key, altered);
    await expect(reading(store).readManifest(filled.alone)).rejects.toThrow(`The stored object ${key} is damaged.`);
  }
  await store.delete(key);
  await store.put(key, (await store.get(`tombstones/${filled.merged}`)) as Buffer);
  await expect(reading(store).readManifest(filled.alone)).rejects.toThrow(/is damaged/);
});
