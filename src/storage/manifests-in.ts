import type { Manifest } from '../core/manifest.ts';
import { IntegrityError } from '../errors.ts';
import { ahead } from './ahead.ts';
import { type BlobStore, manifestKey } from './blob-store.ts';
import { openManifest } from './stored-manifest.ts';

/**
 * Reads manifests of a store, one after the other: not all of them are in memory. One that is gone meanwhile is left out, one that is
 * damaged is an error in its place.
 */
export async function* manifestsIn(
  store: BlobStore,
  hashes: Iterable<string>,
): AsyncGenerator<[hash: string, manifest: Manifest | IntegrityError]> {
  for await (const [hash, bytes] of ahead(hashes, (hash) => store.get(manifestKey(hash)))) {
    if (bytes === null) continue;
    try {
      yield [hash, openManifest(hash, bytes)];
    } catch (error) {
      if (!(error instanceof IntegrityError)) throw error;
      yield [hash, error];
    }
  }
}

/** Hashes of the manifests that a store has. */
export async function listManifests(store: BlobStore): Promise<string[]> {
  const prefix = manifestKey('');
  return (await Array.fromAsync(store.list(prefix))).map((key) => key.slice(prefix.length));
}
