import {
  type Base,
  CHAIN,
  damaged,
  type Envelope,
  MAX_CONTENT,
  MOST_LINKS,
  pack,
  parseEnvelope,
  seal,
  sealLoose,
  unseal,
} from '../core/envelope.ts';
import { sha256 } from '../core/hash.ts';
import { type ChunkRef, type Manifest, type ManifestFile, manifestBytes } from '../core/manifest.ts';
import { purgedSentence, type Tombstone } from '../core/tombstone.ts';
import { IntegrityError, Purged } from '../errors.ts';
import { type BlobStore, blobKey, manifestKey } from './blob-store.ts';
import { extend, release } from './growing-buffer.ts';
import { readThrough } from './read-through.ts';
import { putRecord, readTombstone, sessionTombstoneKey, tombstoneKey, tombstonesOf } from './removals.ts';

/** Stores and reads contexts: content in, content out; compression, bases and hashes are its business. */
export interface ContextStore {
  /**
   * Appends content to a file's chunks. Content that the store has already is not stored again.
   * @param before the chunk just before, null at the start of a file.
   * @param heal read what the store has of it, and replace it when it is damaged.
   * @param loose what to call when it was stored loose, because what it would be packed against was not at hand.
   * @throws IntegrityError when the chunk before is missing or damaged.
   */
  putChunk(content: Buffer, before: ChunkRef | null, options?: PutOptions): Promise<ChunkRef>;
  /** Packs a chunk that was stored loose, and before it the one before it. @throws IntegrityError */
  pack(chunk: LooseChunk): Promise<void>;
  /** True when the store has all of these. Does not read them. */
  holds(chunks: ChunkRef[]): Promise<boolean>;
  /** Stores a manifest; resolves to its hash once everything put before is durable too. */
  putManifest(manifest: Manifest): Promise<string>;
  /** Resolves when all that was put is durable. @throws StoreError */
  flush(): Promise<void>;
  /**
   * The manifest, or what a purge has left of it.
   * @throws IntegrityError when it is missing or damaged; Purged when nothing is left.
   */
  readManifest(hash: string): Promise<Manifest>;
  /** What was purged of a context, the first purge first, as far as this machine knows after reading it. */
  purges(manifest: string): Promise<Tombstone[]>;
  /** The sessions among these that were purged, and are therefore not captured. */
  purgedSessions(ids: string[]): Promise<Set<string>>;
  /** The chunks of a file in order, each verified. @throws IntegrityError that names a missing or damaged object. */
  readFile(file: ManifestFile): AsyncIterable<Buffer>;
}

export interface PutOptions {
  heal?: boolean;
  loose?: (chunk: LooseChunk) => void;
}

/** A chunk that was stored loose, and the one before it in its file. */
export interface LooseChunk {
  hash: string;
  before: string;
}

const EMPTY = Buffer.alloc(0);
/** A context is not purged more often, one session after the other. */
const MOST_REPLACEMENTS = 16;

/** A chunk with the chain of bases that it is compressed against. */
interface Chain {
  /** Content of the whole chain, the chunk's own at the end. */
  all: Buffer;
  own: Buffer;
  loose: boolean;
  /** The hashes that had to be read. */
  links: Set<string>;
}

/** Chains that were just read or written, by the hash of their last chunk: the next chunk of the file needs exactly that. */
const KEPT_CHAINS = 2;
/** Chunks that are put together, so that they can share a transaction; twice as many may be in memory. */
const TOGETHER = 16;

/**
 * @param store on this machine: all is written to it.
 * @param remote the team's store, from which is read what this one does not have; null or left out where nothing may wait for a network.
 */
export function contextStore(store: BlobStore, remote: BlobStore | null = null): ContextStore {
  const objects = readThrough(store, remote);
  const chains = new Map<string, Buffer>();
  const sealing: Promise<[key: string, blob: Buffer]>[] = [];

  const keep = (hash: string, content: Buffer) => {
    chains.delete(hash);
    chains.set(hash, content);
    for (const oldest of chains.keys()) {
      if (chains.size <= KEPT_CHAINS) break;
      chains.delete(oldest);
    }
  };

  const readChain = async (hash: string): Promise<Chain> => {
    const envelopes = new Map<string, Envelope>();
    let known: Buffer | null = null;
    let weight = 0;
    for (let next: string | null = hash; next !== null; ) {
      known = chains.get(next) ?? null;
      if (known !== null && next !== hash) break;
      known = null;
      const name = blobKey(next);
      const blob = await objects.get(name);
      if (blob === null) throw missing(name, remote);
      const envelope = parseEnvelope(blob, name);
      weight += Math.max(envelope.length, envelope.payload.length);
      // Forged: a chain that goes round in a circle, or one too heavy to be a chain (CHAIN bytes and a chunk).
      if (envelopes.has(next) || envelopes.size > MOST_LINKS || weight > 2 * MAX_CONTENT) throw damaged(name);
      envelopes.set(next, envelope);
      next = envelope.base;
    }
    let all = known ?? EMPTY;
    let own = all;
    for (const [name, envelope] of [...envelopes].reverse()) {
      const content = unseal(envelope, envelope.base === null ? null : all, blobKey(name));
      if (sha256(content) !== name) throw damaged(blobKey(name));
      await objects.verified(blobKey(name));
      all = extend(envelope.base === null ? EMPTY : all, content);
      own = all.subarray(all.length - content.length);
      release(content);
    }
    const loose = envelopes.get(hash)?.loose === true;
    if (!loose) keep(hash, all);
    return { all, own, loose, links: new Set(envelopes.keys()) };
  };

  const baseOf = async (hash: string): Promise<Base | null> => {
    const known = chains.get(hash);
    const { all, loose } = known === undefined ? await readChain(hash) : { all: known, loose: false };
    return loose || all.length > CHAIN ? null : { hash, content: all };
  };

  const readLoose = async (hash: string): Promise<{ was: Buffer; envelope: Envelope; content: Buffer } | null> => {
    const name = blobKey(hash);
    const was = await store.get(name);
    if (was === null) throw missing(name, null);
    const envelope = parseEnvelope(was, name);
    if (!envelope.loose) return null;
    const content = unseal(envelope, null, name);
    if (sha256(content) !== hash) throw damaged(name);
    return { was, envelope, content };
  };

  const isWhole = async (hash: string) => {
    try {
      await readChain(hash);
      return true;
    } catch (error) {
      if (error instanceof IntegrityError) return false;
      throw error;
    }
  };

  const putFirst = async (count: number) => {
    const sealed = await Promise.all(sealing.splice(0, count));
    await Promise.all(sealed.map(([key, blob]) => store.put(key, blob)));
  };
  const flush = () => putFirst(sealing.length);

  const putSealed = async (key: string, blob: Promise<Buffer>) => {
    const sealed = blob.then((bytes): [string, Buffer] => [key, bytes]);
    sealed.catch(() => {}); // told by whoever awaits it
    sealing.push(sealed);
    if (sealing.length === 2 * TOGETHER) await putFirst(TOGETHER);
  };

  /** The stored form of a manifest, or of the one that was put in its place. What this machine knows of a purge holds, whatever lies here still. */
  const findManifest = async (asked: string, links = 0): Promise<{ hash: string; blob: Buffer }> => {
    const here = await tombstonesOf(asked, (key) => readTombstone(store, key));
    const hash = standsFor(asked, here);
    const blob = await objects.get(manifestKey(hash));
    if (blob !== null) return { hash, blob };
    const tombstone = remote === null ? null : await readTombstone(remote, tombstoneKey(hash));
    if (tombstone === null) throw missing(manifestKey(hash), remote);
    // Git names the manifest by its hash, which a replacement has not: whoever can write to a store that is not encrypted could put anything there.
    if (tombstone.replacement !== null && remote?.authenticated !== true)
      throw new Purged(purgedSentence(tombstone), 'The rest of this context is only on the machine on which it was purged.');
    if (links === MOST_REPLACEMENTS) throw damaged(tombstoneKey(hash));
    await putRecord(store, tombstoneKey(hash), tombstone);
    return await findManifest(hash, links + 1);
  };

  return {
    async putChunk(content, before, { heal = false, loose } = {}) {
      const hash = sha256(content);
      const ref: ChunkRef = [hash, content.length];
      const key = blobKey(hash);
      if ((await store.has([key])).size > 0) {
        if (!heal || (await isWhole(hash))) return ref;
        await store.delete(key);
      }
      if (loose !== undefined && !heal && before !== null && !chains.has(before[0]) && store.replace !== undefined) {
        await putSealed(key, sealLoose(content));
        loose({ hash, before: before[0] });
        return ref;
      }
      const base = before === null ? null : await baseOf(before[0]);
      keep(hash, base === null ? content : extend(base.content, content));
      await putSealed(key, seal(content, base));
      return ref;
    },

    async pack({ hash, before }) {
      const chunk = await readLoose(hash);
      if (chunk === null || store.replace === undefined) return;
      // Nobody packs the one before it any more: its record was lost. It stays as it is, but counts as packed.
      const left = await readLoose(before);
      if (left !== null) await store.replace(blobKey(before), left.was, await pack(left.envelope, left.content, null));
      const { all, links } = await readChain(before);
      const base = all.length > CHAIN || links.has(hash) ? null : { hash: before, content: all };
      await store.replace(blobKey(hash), chunk.was, await pack(chunk.envelope, chunk.content, base));
    },

    holds: async (chunks) => {
      const keys = new Set(chunks.map(([hash]) => blobKey(hash)));
      return (await store.has([...keys])).size === keys.size;
    },

    flush,

    async putManifest(manifest) {
      const bytes = manifestBytes(manifest);
      const hash = sha256(bytes);
      // With the last chunks, so that they can share a transaction. Nobody knows the manifest before all of them are there.
      sealing.push(seal(bytes, null).then((blob) => [manifestKey(hash), blob]));
      await flush();
      return hash;
    },

    async readManifest(asked) {
      const { hash, blob } = await findManifest(asked);
      const name = manifestKey(hash);
      const content = unseal(parseEnvelope(blob, name), null, name);
      if (sha256(content) !== hash) throw damaged(name);
      await objects.verified(name);
      try {
        return JSON.parse(content.toString('utf8')) as Manifest;
      } catch {
        throw damaged(name);
      }
    },

    purges: (manifest) => tombstonesOf(manifest, (key) => readTombstone(store, key)),

    async purgedSessions(ids) {
      const there = await store.has(ids.map(sessionTombstoneKey));
      return new Set(ids.filter((id) => there.has(sessionTombstoneKey(id))));
    },

    async *readFile(file) {
      await objects.fetchAhead(file.chunks.map(([hash]) => blobKey(hash)));
      for (const [hash, size] of file.chunks) {
        const { own } = await readChain(hash);
        if (own.length !== size) throw damaged(blobKey(hash));
        yield own;
      }
    },
  };
}

/** The hash of the manifest that tombstones lead to. @throws Purged */
function standsFor(asked: string, tombstones: Tombstone[]): string {
  const last = tombstones.at(-1);
  if (last === undefined) return asked;
  if (last.replacement !== null) return last.replacement;
  throw new Purged(purgedSentence(last), 'Nothing else is in this context. See the others with: cc-list');
}

function missing(name: string, remote: BlobStore | null): IntegrityError {
  return remote === null
    ? new IntegrityError(
        'The conversation of this commit is not, or not whole, in the store on this machine.',
        `It was captured on another machine, or the store was deleted (missing: ${name}). Restore it where the commit was made.`,
      )
    : new IntegrityError(
        `The conversation of this commit is not, or not whole, in the store on this machine nor in ${remote.url}.`,
        `Whoever made the commit has not pushed it yet (missing: ${name}). They can do so with: cc-context push`,
      );
}
