import { promisify } from 'node:util';
import * as zlib from 'node:zlib';
import { IntegrityError } from '../errors.ts';
import { isHash } from './hash.ts';

/**
 * What is stored under a hash: `CCX1`, a codec byte, the length of the content (4 bytes, big endian), a byte (0: no base, 1: a base
 * follows, 2: loose), the base's SHA-256 (32 bytes), the compressed content.
 *
 * The base is the chunk before this one: a session reads the same files again and again, so a chunk is compressed against
 * up to CHAIN bytes of what came before it. That keeps the gain of one large compression window although every commit
 * adds its own small blob (measured on 8.7 MB of real transcripts of one project in pieces of 1 MB: 1.12 of the one-file size; with a
 * CHAIN of 4 MiB 1.11, of 512 KiB 1.25).
 *
 * To read that chain and to compress against it costs more than all else that a commit waits for. What a commit adds is therefore
 * stored **loose** first, compressed by itself, and **packed** against its base when the commit is done. A loose blob is the base of
 * none and is packed once; a packed one never changes. So no chain can go round in a circle, whoever packs at the same moment.
 */
const MAGIC = Buffer.from('CCX1');
const HEADER = 10;
const NO_BASE = 0;
const HAS_BASE = 1;
const LOOSE = 2;
/** Content of one blob may not claim more than this (bytes): a compression bomb ends here. */
export const MAX_CONTENT = 64 * 1024 * 1024;
/** A chain of bases starts anew once this many bytes of content precede a chunk. */
export const CHAIN = 2 * 1024 * 1024;
/** A chain has at most CHAIN bytes before its last chunk, and a chunk is a record at least: one with more links is forged. */
export const MOST_LINKS = 65_536;

const CODECS = { brotli: 1, zstd: 2 } as const;
const { constants } = zlib;
/** Node takes a zstd dictionary since 22.19 and 24.6; before that zstd (22.15) would silently ignore it. */
const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);
export const hasZstd =
  typeof zlib.zstdCompress === 'function' && (major > 24 || (major === 24 && minor >= 6) || (major === 22 && minor >= 19));

/** The content that precedes a chunk in its chain. */
export interface Base {
  /** Hash of the chunk just before. */
  hash: string;
  /** Everything from the start of the chain up to and including that chunk; at most CHAIN bytes and one chunk. */
  content: Buffer;
}

export interface Envelope {
  codec: number;
  length: number;
  base: string | null;
  /** May still be packed against a base. */
  loose: boolean;
  payload: Buffer;
}

const LEVEL = 3;
const brotli = promisify(zlib.brotliCompress);

/** Compresses content for the store, off the main thread. Without zstd dictionaries in this Node: brotli, and no base. */
export async function seal(content: Buffer, base: Base | null): Promise<Buffer> {
  if (!hasZstd) {
    const params = { [constants.BROTLI_PARAM_QUALITY]: 4, [constants.BROTLI_PARAM_SIZE_HINT]: content.length };
    return frame(CODECS.brotli, content.length, NO_BASE, await brotli(content, { params }));
  }
  if (base === null) return await zstdFrame(content, NO_BASE);
  const params = { [constants.ZSTD_c_compressionLevel]: LEVEL, [constants.ZSTD_c_windowLog]: 23 };
  const how = { params, pledgedSrcSize: content.length, chunkSize: atOnce(content), dictionary: base.content };
  const payload = await promisify(zlib.zstdCompress)(content, how);
  return frame(CODECS.zstd, content.length, HAS_BASE, payload, base.hash);
}

/** Compresses content by itself, for the time being: `pack` says against what. */
export async function sealLoose(content: Buffer): Promise<Buffer> {
  return hasZstd ? await zstdFrame(content, LOOSE) : await seal(content, null);
}

/** Packs a loose blob against a base, or for good without one, when there is none or it does not help. */
export async function pack(loose: Envelope, content: Buffer, base: Base | null): Promise<Buffer> {
  const alone = frame(loose.codec, loose.length, NO_BASE, loose.payload);
  if (base === null) return alone;
  const packed = await seal(content, base);
  return packed.length < alone.length ? packed : alone;
}

/** Bytes of output between two calls back to the main thread: mostly all of it. */
const atOnce = (content: Buffer) => Math.max(4096, content.length >> 2);

async function zstdFrame(content: Buffer, kind: number): Promise<Buffer> {
  const params = { [constants.ZSTD_c_compressionLevel]: LEVEL };
  const payload = await promisify(zlib.zstdCompress)(content, {
    params,
    pledgedSrcSize: content.length,
    chunkSize: atOnce(content),
  });
  return frame(CODECS.zstd, content.length, kind, payload);
}

/**
 * Reads the header of a stored blob.
 * @throws IntegrityError when it is not one of ours; `name` is the object's name for the message.
 */
export function parseEnvelope(blob: Buffer, name: string): Envelope {
  if (blob.length < HEADER || !blob.subarray(0, 4).equals(MAGIC)) throw damaged(name);
  const kind = blob[9] as number;
  const start = HEADER + (kind === HAS_BASE ? 32 : 0);
  const length = blob.readUInt32BE(5);
  if (blob.length < start || length > MAX_CONTENT || kind > LOOSE || (kind === HAS_BASE && length === 0)) throw damaged(name);
  // Neither codec makes content longer by more than this: what follows a frame would be kept and never looked at.
  if (blob.length - start > length + (length >> 6) + 1024) throw damaged(name);
  const base = kind === HAS_BASE ? blob.subarray(HEADER, start).toString('hex') : null;
  return { codec: blob[4] as number, length, base, loose: kind === LOOSE, payload: blob.subarray(start) };
}

/**
 * Decompresses; `base` is the content the header names. The caller compares the hash.
 * @throws IntegrityError when the payload is damaged, or needs a newer Node.
 */
export function unseal(envelope: Envelope, base: Buffer | null, name: string): Buffer {
  try {
    const content = decompress(envelope, base);
    if (content.length === envelope.length) return content;
  } catch (cause) {
    if (cause instanceof IntegrityError) throw cause;
    throw damaged(name, cause);
  }
  throw damaged(name);
}

/** The error for an object that is not what its name says. */
export function damaged(name: string, cause?: unknown): IntegrityError {
  return new IntegrityError(`The stored object ${name} is damaged.`, 'Restore the store from a backup.', { cause });
}

function decompress({ codec, length, payload }: Envelope, base: Buffer | null): Buffer {
  const maxOutputLength = Math.max(1, length);
  if (codec === CODECS.brotli) return zlib.brotliDecompressSync(payload, { maxOutputLength });
  if (codec !== CODECS.zstd) throw new Error(`unknown codec ${codec}`);
  if (!hasZstd) {
    throw new IntegrityError(
      `This context was stored with zstd, which Node ${process.versions.node} cannot read.`,
      'Use Node 22.19 or newer, or Node 24.6 or newer.',
    );
  }
  const params = { [constants.ZSTD_d_windowLogMax]: 23 };
  const chunkSize = Math.max(4096, Math.min(length, 4 * 1024 * 1024));
  return zlib.zstdDecompressSync(payload, { params, maxOutputLength, chunkSize, ...(base === null ? {} : { dictionary: base }) });
}

function frame(codec: number, length: number, kind: number, payload: Buffer, base = ''): Buffer {
  if (kind === HAS_BASE && !isHash(base)) throw new TypeError(`not a hash: ${base}`);
  const header = Buffer.alloc(HEADER);
  MAGIC.copy(header);
  header[4] = codec;
  header.writeUInt32BE(length, 5);
  header[9] = kind;
  return Buffer.concat([header, Buffer.from(base, 'hex'), payload]);
}
