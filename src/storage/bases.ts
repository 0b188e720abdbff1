import { parseEnvelope } from '../core/envelope.ts';
import { IntegrityError } from '../errors.ts';
import { ahead } from './ahead.ts';
import { type BlobStore, blobKey, peekAt } from './blob-store.ts';
import { getBlob } from './spare.ts';

/** Bytes of a stored blob that tell what it is compressed against. */
const HEADER = 42;

/**
 * What blobs are compressed against, and what those are, and so on.
 * @param blobs hashes.
 * @returns the base of each that is in the store, null for one that has none.
 * @param onDamaged called for a blob whose beginning cannot be read; where it is left out, that is thrown.
 * @throws IntegrityError, StoreError
 */
export async function basesOf(
  store: BlobStore,
  blobs: Iterable<string>,
  {
    onDamaged = rethrow,
    onProgress = () => {},
  }: { onDamaged?: (error: IntegrityError) => void; onProgress?: (blobs: number) => void } = {},
): Promise<Map<string, string | null>> {
  const bases = new Map<string, string | null>();
  const asked = new Set<string>();
  for (let next = [...blobs]; next.length > 0; ) {
    for (const hash of next) asked.add(hash);
    const found: string[] = [];
    for await (const [hash, bytes] of ahead(next, (hash) => beginningOf(store, hash))) {
      if (bytes === null) continue;
      const base = baseOf(hash, bytes, onDamaged);
      bases.set(hash, base);
      if (base !== null) found.push(base);
      onProgress(bases.size);
    }
    next = [...new Set(found)].filter((hash) => !asked.has(hash));
  }
  return bases;
}

function baseOf(hash: string, bytes: Buffer, onDamaged: (error: IntegrityError) => void): string | null {
  try {
    return parseEnvelope(bytes, blobKey(hash)).base;
  } catch (error) {
    if (!(error instanceof IntegrityError)) throw error;
    onDamaged(error);
    return null;
  }
}

function rethrow(error: IntegrityError): never {
  throw error;
}

async function beginningOf(store: BlobStore, hash: string): Promise<Buffer | null> {
  return (await peekAt(store, blobKey(hash), HEADER)) ?? (await getBlob(store, hash));
}

/** Blobs and all that they are compressed against. */
export function withBases(blobs: Iterable<string>, bases: Map<string, string | null>): Set<string> {
  const all = new Set<string>();
  for (const hash of blobs) {
    for (let next: string | null = hash; next !== null && !all.has(next); next = bases.get(next) ?? null) all.add(next);
  }
  return all;
}

/**
 * The blobs among these that are compressed against some that go, themselves or through others; those before which the longest chain lies
 * come first.
 */
export function dependentsOn(gone: Set<string>, blobs: Iterable<string>, bases: Map<string, string | null>): string[] {
  const links = new Map<string, { depth: number; depends: boolean }>();
  const linkOf = (hash: string) => {
    const path: string[] = [];
    let next: string | null = hash;
    for (; next !== null && !links.has(next); next = bases.get(next) ?? null) {
      links.set(next, { depth: 0, depends: gone.has(next) }); // a circle ends here
      path.push(next);
    }
    let before = next === null ? { depth: 0, depends: false } : links.get(next);
    for (const link of path.reverse()) {
      before = { depth: (before?.depth ?? 0) + 1, depends: before?.depends === true || gone.has(link) };
      links.set(link, before);
    }
    return links.get(hash);
  };
  const found = [...blobs].map((hash) => ({ hash, link: linkOf(hash) })).filter(({ link }) => link?.depends === true);
  return found.sort((a, b) => (b.link?.depth ?? 0) - (a.link?.depth ?? 0)).map(({ hash }) => hash);
}
