import { randomBytes } from 'node:crypto';
import { AbortMultipartUploadCommand, ListMultipartUploadsCommand, ListObjectsV2Command, S3Client } from '@aws-sdk/client-s3';
import { beforeAll, describe, expect, test } from 'vitest';
import { sha256 } from '../../src/core/hash.ts';
import type { BlobStore } from '../../src/storage/blob-store.ts';
import { parseS3Url, type S3Options, s3Store } from '../../storage-adapters/s3/index.ts';
import { faultProxy } from '../helpers/fault-proxy.ts';
import { describeS3, type S3Server } from '../helpers/s3-server.ts';

const MB = 1024 * 1024;

describeS3('a bucket of a real server', (given) => {
  let server: S3Server;
  let bucket: string;
  let prefixes = 0;
  beforeAll(async () => {
    server = given();
    bucket = await server.bucket();
  });
  const store = (options: Partial<S3Options> = {}) => {
    prefixes += 1;
    const credentials = async () => server.keys;
    return s3Store({ bucket, prefix: `s${prefixes}`, endpoint: server.endpoint, credentials, ...options });
  };
  /** As another program sees the bucket. */
  const outside = () =>
    new S3Client({ endpoint: server.endpoint, region: 'us-east-1', forcePathStyle: true, credentials: server.keys });
  const keysOf = async (of: BlobStore, prefix = '') => (await Array.fromAsync(of.list(prefix))).sort();

  test('many who write one key: one value stays, nobody gets an error', async () => {
    const one = store();
    const writers = Array.from({ length: 16 }, (_, at) => ({ store: one, value: Buffer.from(`value ${at}`) }));
    const others = [s3Store({ ...parseS3Url(one.url), credentials: async () => server.keys })];
    writers.forEach((writer, at) => at % 2 === 0 && (writer.store = others[0] as BlobStore));
    await Promise.all(writers.map(({ store, value }) => store.put('blobs/same', value)));
    const winner = await one.get('blobs/same');
    expect(writers.map(({ value }) => String(value))).toContain(String(winner));
    await one.put('blobs/same', Buffer.from('too late'));
    expect(await others[0]!.get('blobs/same')).toEqual(winner);
  });

  test('many who ask a new store for its id get the same', async () => {
    const first = store();
    const clones = Array.from({ length: 8 }, () => s3Store({ ...parseS3Url(first.url), credentials: async () => server.keys }));
    const ids = await Promise.all([first, ...clones].map((clone) => clone.id()));
    expect(new Set(ids).size).toBe(1);
    expect(ids[0]).toMatch(/^[0-9a-f-]{36}$/);
    expect(await keysOf(first)).toEqual([]);
    expect(await store().id()).not.toBe(ids[0]);
  });

  test('an object over 8 MiB goes and comes in parts, and stays when it is put again', async () => {
    const [one, value] = [store(), randomBytes(20 * MB + 1)];
    await one.put('blobs/large', value);
    expect((await one.get('blobs/large'))?.equals(value)).toBe(true);
    await one.put('blobs/large', randomBytes(9 * MB));
    expect((await one.get('blobs/large'))?.equals(value)).toBe(true);
    expect(await uploadsLeft()).toEqual([]);
  });

  test('an upload that another program left half-way is no object', async () => {
    const [one, client] = [store(), outside()];
    await using proxy = await faultProxy(server.endpoint);
    proxy.fault = (request) => (/partNumber=2|DELETE/.test(request) ? 'reset' : null);
    const broken = s3Store({ ...parseS3Url(one.url), endpoint: proxy.endpoint, credentials: async () => server.keys });
    await expect(broken.put('blobs/large', randomBytes(20 * MB))).rejects.toThrow(/connection to .* broke/);
    expect(await one.get('blobs/large')).toBeNull();
    expect(await one.has(['blobs/large'])).toEqual(new Set());
    expect(await keysOf(one)).toEqual([]);
    // What is left of it is there for the rule of the bucket to remove.
    const [left] = await uploadsLeft();
    await client.send(new AbortMultipartUploadCommand({ Bucket: bucket, ...left! }));
  });

  describe('with 1,200 keys', () => {
    const keys = Array.from({ length: 1200 }, (_, at) => `blobs/${sha256(Buffer.from(String(at)))}`);
    let full: BlobStore;
    beforeAll(async () => {
      full = store();
      await Promise.all(keys.map((key) => full.put(key, Buffer.from(key))));
      await full.put(`manifests/${'a'.repeat(64)}`, Buffer.from('a'));
      await full.id();
    });

    test('lists all of them, page after page', async () => {
      expect(await keysOf(full, 'blobs/')).toEqual([...keys].sort());
      expect(await keysOf(full)).toHaveLength(1201);
    });

    test('tells which of many are there', async () => {
      const wanted = [...keys.slice(600), ...Array.from({ length: 600 }, (_, at) => `blobs/${sha256(Buffer.from(`not ${at}`))}`)];
      expect(await full.has(wanted)).toEqual(new Set(keys.slice(600)));
    });

    test('a store whose prefix begins the same sees none of them', async () => {
      const location = parseS3Url(full.url);
      const credentials = async () => server.keys;
      const other = s3Store({ ...location, prefix: `${location.prefix}0`, credentials });
      await other.put('blobs/a', Buffer.from('of the other'));
      expect(await other.get(keys[0] as string)).toBeNull();
      expect(await other.has(keys.slice(0, 40))).toEqual(new Set());
      expect(await keysOf(other)).toEqual(['blobs/a']);
      expect(await other.id()).not.toBe(await full.id());
      await other.delete('blobs/a');
      expect(await keysOf(full)).toHaveLength(1201);
    });
  });

  test('a store without a prefix is the whole bucket', async () => {
    const own = await server.bucket();
    const whole = store({ bucket: own, prefix: '' });
    await whole.put('blobs/a', Buffer.from('a'));
    await whole.id();
    expect(await keysOf(whole)).toEqual(['blobs/a']);
    const { Contents = [] } = await outside().send(new ListObjectsV2Command({ Bucket: own }));
    expect(Contents.map(({ Key }) => Key)).toEqual(['blobs/a', 'store-id']);
  });

  test('the number of requests', async () => {
    await using proxy = await faultProxy(server.endpoint);
    const one = store({ endpoint: proxy.endpoint });
    const count = async (work: () => Promise<unknown>) => {
      const before = proxy.requests.length;
      await work();
      return proxy.requests.length - before;
    };
    const few = Array.from({ length: 16 }, (_, at) => `blobs/${at}`);
    expect({
      'id, made': await count(() => one.id()),
      'id, known': await count(() => one.id()),
      put: await count(() => one.put('blobs/a', Buffer.from('a'))),
      'put again': await count(() => one.put('blobs/a', Buffer.from('a'))),
      'put of 20 MiB': await count(() => one.put('blobs/large', Buffer.alloc(20 * MB))),
      'put of 20 MiB again': await count(() => one.put('blobs/large', Buffer.alloc(20 * MB))),
      get: await count(() => one.get('blobs/a')),
      'get of 20 MiB': await count(() => one.get('blobs/large')),
      'has, 16 keys': await count(() => one.has(few)),
      'has, 100 keys': await count(() => one.has(Array.from({ length: 100 }, (_, at) => `blobs/${at}`))),
      'has, no key': await count(() => one.has([])),
      list: await count(() => keysOf(one)),
      delete: await count(() => one.delete('blobs/a')),
      'a commit: two blobs, its manifest': await count(async () => {
        const clone = s3Store({ ...parseS3Url(one.url), credentials: async () => server.keys });
        await clone.id();
        await Promise.all(['blobs/1', 'blobs/2'].map((key) => clone.put(key, Buffer.from(key))));
        await clone.put('manifests/1', Buffer.from('1'));
      }),
    }).toEqual({
      'id, made': 3,
      'id, known': 0,
      put: 1,
      'put again': 1,
      'put of 20 MiB': 6,
      'put of 20 MiB again': 1,
      get: 1,
      'get of 20 MiB': 1,
      'has, 16 keys': 16,
      'has, 100 keys': 1,
      'has, no key': 0,
      list: 1,
      delete: 1,
      'a commit: two blobs, its manifest': 4,
    });
  });

  test('never more requests at once than it may make', async () => {
    await using proxy = await faultProxy(server.endpoint);
    const one = store({ endpoint: proxy.endpoint, parallel: 3 });
    await Promise.all(Array.from({ length: 60 }, (_, at) => one.put(`blobs/${at}`, randomBytes(1000))));
    expect(proxy.atOnce).toBe(3);
  });

  async function uploadsLeft(): Promise<{ Key: string; UploadId: string }[]> {
    const { Uploads = [] } = await outside().send(new ListMultipartUploadsCommand({ Bucket: bucket }));
    return Uploads.map(({ Key, UploadId }) => ({ Key: Key!, UploadId: UploadId! }));
  }
});
