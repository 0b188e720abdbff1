import { randomUUID } from 'node:crypto';
import { StoreError } from '../../src/errors.ts';
import type { BlobStore } from '../../src/storage/blob-store.ts';
import type { Bucket, BucketOptions, Timeouts } from './bucket.ts';
import { createInParts, PART } from './parts.ts';
import { present } from './presence.ts';
import { s3Url } from './url.ts';

export { parseS3Url, type S3Location, s3Url } from './url.ts';

export interface S3Options extends Omit<BucketOptions, 'timeouts' | 'parallel'> {
  prefix?: string;
  timeouts?: Partial<Timeouts>;
  /** Requests at once, 8 by default. */
  parallel?: number;
}

const TIMEOUTS: Timeouts = { connect: 2000, request: 30_000, credentials: 10_000 };
/** Bytes. No object of a context is nearly as large; what says it is, is none, and is not read into memory. */
const MOST = 256 * 1024 * 1024;
/** The object that holds the store's id, beside the folders of the keys. */
const ID = 'store-id';

/**
 * A prefix of a bucket of S3 as a store that a team shares. Nothing is loaded or asked before the first call.
 * Requests: `put` 1 (over 8 MiB: 3 and 1 for each 8 MiB), `get` 1, `delete` 1, `has` 1 for each of few keys (see presence.ts), `list` 1 for
 * each 1,000 keys, `id` 1 (3 when it is made), once. None is tried again: decorate with `withRetries`.
 */
export function s3Store({ prefix = '', timeouts, parallel = 8, ...options }: S3Options): BlobStore {
  const base = prefix === '' ? '' : `${prefix}/`;
  let opened: Promise<Bucket> | null = null;
  const bucket = () => {
    opened ??= import('./client.ts').then(({ openBucket }) =>
      openBucket({ ...options, timeouts: { ...TIMEOUTS, ...timeouts }, parallel }),
    );
    return opened;
  };
  const url = s3Url({ ...options, prefix });
  let id: Promise<string> | null = null;

  return {
    url,

    id() {
      id ??= bucket().then((open) => readOrMakeId(open, `${base}${ID}`, url));
      id.catch(() => (id = null)); // told to whoever asked; the next one may have more luck
      return id;
    },

    async put(key, bytes) {
      const open = await bucket();
      if (bytes.length > MOST) throw new StoreError(`${key} is larger than an object of a store can be (${MOST} bytes).`);
      if (bytes.length > PART) await createInParts(open, base + key, bytes);
      else await open.create(base + key, bytes);
    },

    get: async (key) => (await bucket()).read(base + key, MOST),

    async has(keys) {
      const there = await present(
        await bucket(),
        keys.map((key) => base + key),
        parallel,
      );
      return new Set(keys.filter((key) => there.has(base + key)));
    },

    async *list(prefix) {
      const open = await bucket();
      let token: string | null = null;
      do {
        const page = await open.list(base + prefix, token === null ? {} : { token });
        for (const name of page.names) if (name !== base + ID) yield name.slice(base.length);
        token = page.next;
      } while (token !== null);
    },

    delete: async (key) => (await bucket()).remove(base + key),

    async close() {
      if (opened !== null) (await opened).close();
    },
  };
}

async function readOrMakeId(bucket: Bucket, name: string, url: string): Promise<string> {
  let bytes = await bucket.read(name, MOST);
  if (bytes === null) {
    await bucket.create(name, Buffer.from(randomUUID()));
    bytes = await bucket.read(name, MOST); // another's, where that one was first
  }
  const id = String(bytes);
  if (/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/.test(id)) return id;
  throw new StoreError(`The object ${name} at ${url} is not the id of a store.`, 'Check the prefix in the store URL.');
}
