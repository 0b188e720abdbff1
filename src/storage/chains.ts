import { damaged, type Envelope, MAX_CONTENT, MOST_LINKS, parseEnvelope, unseal } from '../core/envelope.ts';
import { sha256 } from '../core/hash.ts';
import { IntegrityError } from '../errors.ts';
import { blobKey } from './blob-store.ts';
import { extend, release } from './growing-buffer.ts';

/** Chains that are kept: the next chunks of as many files need exactly those. */
const KEPT = 16;
const EMPTY = Buffer.alloc(0);

/** An object that keeps others from being read. */
export class BadObject extends IntegrityError {
  readonly key: string;
  readonly kind: 'missing' | 'damaged';
  constructor(key: string, kind: 'missing' | 'damaged') {
    super(`The stored object ${key} is ${kind}.`, 'Restore the store from a backup.');
    this.key = key;
    this.kind = kind;
  }
}

/** Reads blobs, each with what it is compressed against, and checks every hash. */
export interface ChainReader {
  /**
   * @param bytes the blob as it is stored, where somebody has it already.
   * @returns its content, to be used before the next read.
   * @throws BadObject names what is wrong, which may be a base.
   */
  read(hash: string, bytes?: Buffer): Promise<Buffer>;
}

/** @param get the stored form of a blob. Asked for once, but for a base that is needed again after it has left memory. */
export function chainReader(get: (hash: string) => Promise<Buffer | null>): ChainReader {
  /** What a chunk after this one is compressed against. */
  const chains = new Map<string, Buffer>();
  const keep = (hash: string, all: Buffer) => {
    chains.delete(hash);
    chains.set(hash, all);
    const [oldest] = chains.keys();
    if (chains.size > KEPT) chains.delete(oldest as string);
  };

  const linksOf = async (hash: string, bytes: Buffer | undefined): Promise<[string, Envelope][]> => {
    const links = new Map<string, Envelope>();
    let weight = 0;
    for (let next: string | null = hash; next !== null && !(chains.has(next) && next !== hash); ) {
      const blob: Buffer | null = next === hash && bytes !== undefined ? bytes : await get(next);
      if (blob === null) throw new BadObject(blobKey(next), 'missing');
      const envelope: Envelope = opened(next, blob);
      weight += Math.max(envelope.length, envelope.payload.length);
      // Forged: a chain that goes round in a circle, or one too heavy to be a chain.
      const isForged = links.has(next) || links.size > MOST_LINKS || weight > 2 * MAX_CONTENT;
      if (isForged) throw new BadObject(blobKey(next), 'damaged');
      links.set(next, envelope);
      next = envelope.base;
    }
    return [...links].reverse();
  };

  return {
    async read(hash, bytes) {
      let own: Buffer = EMPTY;
      for (const [name, envelope] of await linksOf(hash, bytes)) {
        const before = envelope.base === null ? null : (chains.get(envelope.base) ?? null);
        const content = told(name, () => {
          const unsealed = unseal(envelope, before, blobKey(name));
          if (sha256(unsealed) !== name) throw damaged(blobKey(name));
          return unsealed;
        });
        const all = extend(before ?? EMPTY, content);
        own = all.subarray(all.length - content.length);
        release(content);
        keep(name, all);
      }
      return own;
    },
  };
}

const opened = (hash: string, blob: Buffer): Envelope => told(hash, () => parseEnvelope(blob, blobKey(hash)));

/** What is damaged is told as such; that this Node cannot read it at all is not. */
function told<T>(hash: string, work: () => T): T {
  try {
    return work();
  } catch (error) {
    const isDamage = error instanceof IntegrityError && error.message === damaged(blobKey(hash)).message;
    throw isDamage ? new BadObject(blobKey(hash), 'damaged') : error;
  }
}
