import { type Base, CHAIN, damaged, type Envelope, MAX_CONTENT, parseEnvelope, seal, unseal } from '../core/envelope.ts';
import { sha256 } from '../core/hash.ts';
import { type ChunkRef, type Manifest, type ManifestFile, manifestBytes } from '../core/manifest.ts';
import { IntegrityError } from '../errors.ts';
import { type BlobStore, blobKey, manifestKey } from './blob-store.ts';

/** Stores and reads contexts: content in, content out; compression, bases and hashes are its business. */
export interface ContextStore {
  /**
   * Appends content to a file's chunks. Content that the store has already is not stored again.
   * @param before the chunk just before, null at the start of a file.
   * @param heal read what the store has of it, and replace it when it is damaged.
   * @throws IntegrityError when the chunk before is missing or damaged.
   */
  putChunk(content: Buffer, before: ChunkRef | null, options?: { heal: boolean }): Promise<ChunkRef>;
  /** True when the store has all of these. Does not read them. */
  holds(chunks: ChunkRef[]): Promise<boolean>;
  /** Stores a manifest; resolves to its hash once everything put before is durable too. */
  putManifest(manifest: Manifest): Promise<string>;
  /** Resolves when all that was put is durable. @throws StoreError */
  flush(): Promise<void>;
  /** @throws IntegrityError when it is missing or damaged. */
  readManifest(hash: string): Promise<Manifest>;
  /** The chunks of a file in order, each verified. @throws IntegrityError that names a missing or damaged object. */
  readFile(file: ManifestFile): AsyncIterable<Buffer>;
}

/** Chains that were just read or written, by the hash of their last chunk: the next chunk of the file needs exactly that. */
const KEPT_CHAINS = 4;
/** Chunks that are put together, so that they can share a transaction; twice as many may be in memory. */
const TOGETHER = 16;

export function contextStore(store: BlobStore): ContextStore {
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

  /** All content of the chain that ends in this chunk, and the chunk's own part of it. */
  const readChain = async (hash: string): Promise<{ all: Buffer; own: Buffer }> => {
    const envelopes = new Map<string, Envelope>();
    let known: Buffer | null = null;
    let weight = 0;
    for (let next: string | null = hash; next !== null; ) {
      known = chains.get(next) ?? null;
      if (known !== null && next !== hash) break;
      known = null;
      const name = blobKey(next);
      const blob = await store.get(name);
      if (blob === null) throw missing(name);
      const envelope = parseEnvelope(blob, name);
      weight += Math.max(envelope.length, envelope.payload.length);
      // Forged: a chain that goes round in a circle, or one too heavy to be a chain (CHAIN bytes and a chunk).
      if (envelopes.has(next) || weight > 2 * MAX_CONTENT) throw damaged(name);
      envelopes.set(next, envelope);
      next = envelope.base;
    }
    let all: Buffer = known ?? Buffer.alloc(0);
    let own: Buffer = all;
    for (const [name, envelope] of [...envelopes].reverse()) {
      own = unseal(envelope, envelope.base === null ? null : all, blobKey(name));
      if (sha256(own) !== name) throw damaged(blobKey(name));
      all = envelope.base === null ? own : Buffer.concat([all, own]);
    }
    keep(hash, all);
    return { all, own };
  };

  const baseOf = async (before: ChunkRef | null): Promise<Base | null> => {
    if (before === null) return null;
    const content = chains.get(before[0]) ?? (await readChain(before[0])).all;
    return content.length > CHAIN ? null : { hash: before[0], content };
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

  return {
    async putChunk(content, before, { heal } = { heal: false }) {
      const hash = sha256(content);
      const ref: ChunkRef = [hash, content.length];
      const key = blobKey(hash);
      if ((await store.has([key])).size > 0) {
        if (!heal || (await isWhole(hash))) return ref;
        await store.delete(key);
      }
      const base = await baseOf(before);
      keep(hash, base === null ? content : Buffer.concat([base.content, content]));
      const sealed = seal(content, base).then((blob): [string, Buffer] => [key, blob]);
      sealed.catch(() => {}); // told by whoever awaits it
      sealing.push(sealed);
      if (sealing.length === 2 * TOGETHER) await putFirst(TOGETHER);
      return ref;
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

    async readManifest(hash) {
      const name = manifestKey(hash);
      const blob = await store.get(name);
      if (blob === null) throw missing(name);
      const content = unseal(parseEnvelope(blob, name), null, name);
      if (sha256(content) !== hash) throw damaged(name);
      try {
        return JSON.parse(content.toString('utf8')) as Manifest;
      } catch {
        throw damaged(name);
      }
    },

    async *readFile(file) {
      for (const [hash, size] of file.chunks) {
        const { own } = await readChain(hash);
        if (own.length !== size) throw damaged(blobKey(hash));
        yield own;
      }
    },
  };
}

function missing(name: string): IntegrityError {
  return new IntegrityError(
    'The conversation of this commit is not, or not whole, in the store on this machine.',
    `It was captured on another machine, or the store was deleted (missing: ${name}). Restore it where the commit was made.`,
  );
}
