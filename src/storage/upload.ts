import { type Envelope, pack, parseEnvelope, unseal } from '../core/envelope.ts';
import { sha256 } from '../core/hash.ts';
import { IntegrityError } from '../errors.ts';
import { each } from './ahead.ts';
import { type BlobStore, blobKey, manifestKey } from './blob-store.ts';
import { readTombstone, tombstoneKey, tombstonesOf } from './removals.ts';
import { chunksOf, openManifest } from './stored-manifest.ts';

/** From so many objects on the store is asked first which of them it has: to ask costs a request too. */
const ASK_FROM = 4;

/** Milliseconds after which an upload looks once more whether something was removed, before others see what it uploads. */
const LONG = 1000;

/** Something was removed from the store while an upload went on: what it took to be there may be gone, or may not be put there any more. */
export class RemovedMeanwhile extends Error {
  override readonly name = 'RemovedMeanwhile';
}

/** What is known to be in the team's store already. */
export interface UploadLog {
  /** Those of these keys that are not known to be there. */
  missing(keys: string[]): string[];
  add(keys: string[]): void;
  /** Something was removed from the store: nothing is known to be there any more. */
  forget(): void;
}

/** How far an upload is. */
export interface UploadProgress {
  objects: number;
  of: number;
  /** Bytes that were sent. */
  bytes: number;
}

/** What a context needs in the store: each kind before the next. */
interface Needed {
  blobs: string[];
  manifests: string[];
  /** Of a context that was purged; its own manifest is not sent. */
  tombstones: string[];
}

/**
 * Uploads contexts to the team's store: all blobs that their manifests need, the bases of blobs too, and then the manifests, so that nobody
 * ever sees a context that is not whole. What is there already is not sent again; cut off, it goes on where it was.
 * @param manifests hashes of their manifests.
 * @returns what is wrong with the contexts that are not whole on this machine, and were therefore left out.
 * @throws StoreError when the team's store cannot be written; RemovedMeanwhile.
 */
export async function upload(
  manifests: string[],
  {
    local,
    remote,
    log,
    isStale = async () => false,
    onProgress = () => {},
  }: {
    local: BlobStore;
    remote: BlobStore;
    log: UploadLog;
    /** Whether something was removed from the store that `log` does not know of. */
    isStale?: () => Promise<boolean>;
    onProgress?: (progress: UploadProgress) => void;
  },
): Promise<IntegrityError[]> {
  const begun = performance.now();
  const needed = { blobs: new Set<string>(), manifests: new Set<string>(), tombstones: new Set<string>() };
  const problems: IntegrityError[] = [];
  const done: string[] = [];
  const wanted = new Map(manifests.map((hash) => [manifestKey(hash), hash]));
  for (const key of log.missing([...wanted.keys()])) {
    try {
      const found = await neededBy(wanted.get(key) as string, local, log);
      for (const kind of ['blobs', 'manifests', 'tombstones'] as const) for (const one of found[kind]) needed[kind].add(one);
      if (found.tombstones.length > 0) done.push(key);
    } catch (error) {
      if (!(error instanceof IntegrityError)) throw error;
      problems.push(error);
    }
  }
  const waves = [await toSend(needed.blobs), await toSend(needed.manifests), [...needed.tombstones]];
  const progress = { objects: 0, of: waves.flat().length, bytes: 0 };
  for (const [at, wave] of waves.entries()) {
    if (at === 1 && performance.now() - begun > LONG && (await isStale())) throw new RemovedMeanwhile();
    await each(wave, async (key) => {
      const bytes = await readToSend(local, key);
      await remote.put(key, bytes);
      log.add([key]);
      progress.objects += 1;
      progress.bytes += bytes.length;
      onProgress({ ...progress });
    });
  }
  log.add(done);
  return problems;

  async function toSend(keys: Set<string>): Promise<string[]> {
    const there = keys.size >= ASK_FROM ? await remote.has([...keys]) : new Set<string>();
    log.add([...there]);
    return [...keys].filter((key) => !there.has(key));
  }
}

/** What the store is not known to have of a context, with all that its blobs are compressed against. @throws IntegrityError */
async function neededBy(asked: string, local: BlobStore, log: UploadLog): Promise<Needed> {
  const purges = await tombstonesOf(asked, (key) => readTombstone(local, key));
  const last = purges.at(-1);
  const between = purges.flatMap(({ replacement }) => (replacement === null ? [] : [replacement]));
  const tombstones = purges.map((_, at) => tombstoneKey([asked, ...between][at] as string));
  const hash = last === undefined ? asked : last.replacement;
  if (hash === null) return { blobs: [], manifests: [], tombstones };
  const manifest = openManifest(hash, await readLocal(local, manifestKey(hash)));
  const named = manifest.sessions.flatMap(chunksOf).map(([chunk]) => blobKey(chunk));
  const found = new Set<string>();
  for (let next = log.missing([...new Set(named)]); next.length > 0; ) {
    for (const key of next) found.add(key);
    const bases = await Promise.all(next.map(async (key) => parseEnvelope(await readLocal(local, key), key).base));
    next = log.missing(
      [...new Set(bases.flatMap((base) => (base === null ? [] : [blobKey(base)])))].filter((key) => !found.has(key)),
    );
  }
  return { blobs: [...found], manifests: log.missing([manifestKey(hash)]), tombstones };
}

/**
 * An object as it is to be sent. What is shared never changes, so nothing loose is: the next chunk would be compressed here against more than
 * the others have.
 */
async function readToSend(local: BlobStore, key: string): Promise<Buffer> {
  for (;;) {
    const bytes = await readLocal(local, key);
    if (!key.startsWith(blobKey(''))) return bytes;
    const envelope = parseEnvelope(bytes, key);
    if (!envelope.loose || local.replace === undefined) return bytes;
    await local.replace(key, bytes, await packAlone(key, envelope));
  }
}

async function packAlone(key: string, envelope: Envelope): Promise<Buffer> {
  const content = unseal(envelope, null, key);
  if (blobKey(sha256(content)) !== key) throw new IntegrityError(`The stored object ${key} is damaged.`);
  return await pack(envelope, content, null);
}

async function readLocal(local: BlobStore, key: string): Promise<Buffer> {
  const bytes = await local.get(key);
  if (bytes !== null) return bytes;
  throw new IntegrityError(
    `The stored object ${key} is missing on this machine.`,
    'Push from the machine on which the commit was made.',
  );
}
