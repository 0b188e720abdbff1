import { parseEnvelope, unseal } from '../core/envelope.ts';
import { sha256 } from '../core/hash.ts';
import { checkManifest } from '../core/snapshot-schema.ts';
import { IntegrityError } from '../errors.ts';
import { type BlobStore, blobKey, manifestKey } from './blob-store.ts';

/** Objects that are uploaded at the same time. */
const AT_ONCE = 8;
/** From so many objects on the store is asked first which of them it has: to ask costs a request too. */
const ASK_FROM = 4;

/** What is known to be in the team's store already. */
export interface UploadLog {
  /** Those of these keys that are not known to be there. */
  missing(keys: string[]): string[];
  add(keys: string[]): void;
}

/** How far an upload is. */
export interface UploadProgress {
  objects: number;
  of: number;
  /** Bytes that were sent. */
  bytes: number;
}

/**
 * Uploads contexts to the team's store: all blobs that their manifests need, the bases of blobs too, and then the manifests, so that nobody
 * ever sees a context that is not whole. What is there already is not sent again; cut off, it goes on where it was.
 * @param manifests hashes of their manifests.
 * @returns what is wrong with the contexts that are not whole on this machine, and were therefore left out.
 * @throws StoreError when the team's store cannot be written.
 */
export async function upload(
  manifests: string[],
  {
    local,
    remote,
    log,
    onProgress = () => {},
  }: {
    local: BlobStore;
    remote: BlobStore;
    log: UploadLog;
    onProgress?: (progress: UploadProgress) => void;
  },
): Promise<IntegrityError[]> {
  const blobs = new Set<string>();
  const whole: string[] = [];
  const problems: IntegrityError[] = [];
  for (const key of log.missing(manifests.map(manifestKey))) {
    try {
      for (const blob of await blobsOf(key, local, log)) blobs.add(blob);
      whole.push(key);
    } catch (error) {
      if (!(error instanceof IntegrityError)) throw error;
      problems.push(error);
    }
  }
  const there = blobs.size >= ASK_FROM ? await remote.has([...blobs]) : new Set<string>();
  log.add([...there]);
  const toSend = [...blobs].filter((key) => !there.has(key));
  const progress = { objects: 0, of: toSend.length + whole.length, bytes: 0 };
  const send = async (key: string) => {
    const bytes = await readLocal(local, key);
    await remote.put(key, bytes);
    log.add([key]);
    progress.objects += 1;
    progress.bytes += bytes.length;
    onProgress({ ...progress });
  };
  await each(toSend, send);
  await each(whole, send);
  return problems;
}

/** The blobs of a context that are not known to be in the team's store, with all that they are compressed against. */
async function blobsOf(name: string, local: BlobStore, log: UploadLog): Promise<string[]> {
  const content = unseal(parseEnvelope(await readLocal(local, name), name), null, name);
  const checked =
    manifestKey(sha256(content)) === name ? checkManifest(JSON.parse(content.toString('utf8'))) : { problem: 'its hash' };
  if ('problem' in checked) throw new IntegrityError(`The stored object ${name} is damaged.`, 'Restore the store from a backup.');
  const named = checked.manifest.sessions.flatMap(({ files }) =>
    files.flatMap(({ chunks }) => chunks.map(([hash]) => blobKey(hash))),
  );
  const found = new Set<string>();
  for (let next = log.missing([...new Set(named)]); next.length > 0; ) {
    for (const key of next) found.add(key);
    const bases = await Promise.all(next.map(async (key) => parseEnvelope(await readLocal(local, key), key).base));
    next = log.missing(
      [...new Set(bases.flatMap((base) => (base === null ? [] : [blobKey(base)])))].filter((key) => !found.has(key)),
    );
  }
  return [...found];
}

async function readLocal(local: BlobStore, key: string): Promise<Buffer> {
  const bytes = await local.get(key);
  if (bytes !== null) return bytes;
  throw new IntegrityError(
    `The stored object ${key} is missing on this machine.`,
    'Push from the machine on which the commit was made.',
  );
}

async function each(keys: string[], work: (key: string) => Promise<void>): Promise<void> {
  const left = [...keys];
  const worker = async () => {
    for (let key = left.shift(); key !== undefined; key = left.shift()) await work(key);
  };
  await Promise.all(Array.from({ length: Math.min(AT_ONCE, keys.length) }, worker));
}
