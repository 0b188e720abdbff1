import type { Manifest } from '../core/manifest.ts';
import { IntegrityError } from '../errors.ts';
import { ahead } from './ahead.ts';
import { blobKey, manifestKey } from './blob-store.ts';
import { BadObject, chainReader } from './chains.ts';
import { chunksOf, openManifest } from './stored-manifest.ts';

/** An object that is not as it has to be. */
export interface ObjectProblem {
  key: string;
  kind: 'missing' | 'damaged' | 'wrong length';
  /** Keys of the blobs that cannot be read because of it. */
  needed_by: string[];
  /** Hashes of the manifests that name it or one of those. */
  manifests: string[];
}

export interface Verified {
  manifests: number;
  blobs: number;
  /** Bytes of the conversations, each chunk once. */
  bytes: number;
  problems: ObjectProblem[];
}

export interface VerifyOptions {
  /** Reads a stored object. */
  get: (key: string) => Promise<Buffer | null>;
  /** Called with each manifest that is sound. */
  onManifest?: (hash: string, manifest: Manifest) => void;
  onProgress?: (objects: number, of: number, bytes: number) => void;
}

/**
 * Reads every object that manifests name, and all that those are compressed against, and checks each: its hash, its form, its length. Each is
 * read once, but for a base that is needed again after it has left memory; of all of them only the hashes are kept.
 * @throws StoreError when the store cannot be read.
 */
export async function verifyObjects(manifests: string[], options: VerifyOptions): Promise<Verified> {
  const { get, onManifest = () => {}, onProgress = () => {} } = options;
  const problems = new Map<string, ObjectProblem>();
  const report = (key: string, kind: ObjectProblem['kind'], manifest?: string): ObjectProblem => {
    const problem = problems.get(key) ?? { key, kind, needed_by: [], manifests: [] };
    if (manifest !== undefined) problem.manifests.push(manifest);
    problems.set(key, problem);
    return problem;
  };
  const lengths = new Map<string, number>();
  const sound: string[] = [];

  for await (const [hash, bytes] of ahead(manifests, (hash) => get(manifestKey(hash)))) {
    const read = bytes === null ? 'missing' : readManifest(hash, bytes);
    if (typeof read === 'string') {
      report(manifestKey(hash), read, hash);
      continue;
    }
    sound.push(hash);
    onManifest(hash, read);
    for (const [chunk, length] of read.sessions.flatMap(chunksOf)) {
      // A chunk has one length: of two manifests that differ, one is wrong.
      if ((lengths.get(chunk) ?? length) !== length) report(manifestKey(hash), 'wrong length', hash);
      else lengths.set(chunk, length);
    }
  }

  const reader = chainReader((hash) => get(blobKey(hash)));
  let [blobs, total] = [0, 0];
  for await (const [hash, bytes] of ahead(lengths.keys(), (hash) => get(blobKey(hash)))) {
    blobs += 1;
    try {
      if (bytes === null) throw new BadObject(blobKey(hash), 'missing');
      const { length } = await reader.read(hash, bytes);
      total += length;
      if (length !== lengths.get(hash)) report(blobKey(hash), 'wrong length');
    } catch (error) {
      if (!(error instanceof BadObject)) throw error;
      const problem = report(error.key, error.kind);
      if (error.key !== blobKey(hash)) problem.needed_by.push(blobKey(hash));
    }
    onProgress(sound.length + blobs, sound.length + lengths.size, total);
  }
  await nameManifests([...problems.values()], sound, get);
  return { manifests: manifests.length, blobs, bytes: total, problems: [...problems.values()] };
}

function readManifest(hash: string, bytes: Buffer): Manifest | 'damaged' {
  try {
    return openManifest(hash, bytes);
  } catch (error) {
    if (error instanceof IntegrityError) return 'damaged';
    throw error;
  }
}

/** Which manifests a problem is about. They are read once more only where there is one: who names what was not kept. */
async function nameManifests(problems: ObjectProblem[], sound: string[], get: VerifyOptions['get']): Promise<void> {
  const concerned = new Map<string, ObjectProblem[]>();
  for (const problem of problems)
    for (const key of [problem.key, ...problem.needed_by]) concerned.set(key, [...(concerned.get(key) ?? []), problem]);
  if (concerned.size === 0) return;
  for await (const [hash, bytes] of ahead(sound, (hash) => get(manifestKey(hash)))) {
    if (bytes === null) continue;
    const named = openManifest(hash, bytes).sessions.flatMap(chunksOf);
    const about = new Set(named.flatMap(([chunk]) => concerned.get(blobKey(chunk)) ?? []));
    for (const problem of about) problem.manifests.push(hash);
  }
}
