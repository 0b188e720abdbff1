import { randomBytes } from 'node:crypto';
import { afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { StoreError, StoreUnavailable } from '../../src/errors.ts';
import type { BlobStore } from '../../src/storage/blob-store.ts';
import { withRetries } from '../../src/storage/retry.ts';
import { s3Store } from '../../storage-adapters/s3/index.ts';
import { type Fault, type FaultProxy, faultProxy } from '../helpers/fault-proxy.ts';
import { describeS3, type S3Server } from '../helpers/s3-server.ts';

const MB = 1024 * 1024;
const flipped = (body: Buffer) => {
  const other = Buffer.from(body);
  other[other.length >> 1]! ^= 1;
  return other;
};
const half = (body: Buffer) => body.subarray(0, body.length >> 1);

/** What may happen to any request on its way, and what is said of it. */
const ON_THE_WAY: [name: string, fault: Fault, says: RegExp][] = [
  ['503 SlowDown', { answer: 503, code: 'SlowDown' }, /too busy \(503 SlowDown\)/],
  ['500 InternalError', { answer: 500, code: 'InternalError' }, /failed \(500 InternalError\)/],
  ['502 of a gateway', { answer: 502, body: '<html>Bad Gateway</html>' }, /too busy \(502/],
  ['reset', 'reset', /connection to http.* broke/],
  ['answer lost', 'answer lost', /connection to http.* broke/],
  ['silence', 'silence', /did not answer in time/],
];
/** What may happen to the body of an upload. */
const TO_WHAT_IS_SENT: typeof ON_THE_WAY = [
  ['altered', { sends: flipped }, /arrived altered or cut off/],
  ['cut off', { sends: half }, /connection to http.* broke/],
];
/** What may happen to the body of an answer. */
const TO_WHAT_COMES: typeof ON_THE_WAY = [
  ['reset in the body', 'reset in the body', /connection to http.* broke|altered or cut off/],
  ['silence in the body', 'silence in the body', /did not answer in time/],
  ['ends before its length', { gives: half, length: (announced) => announced }, /connection to http.* broke|altered or cut off/],
];

describeS3('on a bad line to a real server', (given) => {
  let server: S3Server;
  let bucket: string;
  let proxy: FaultProxy;
  let prefixes = 0;
  beforeAll(async () => {
    server = given();
    bucket = await server.bucket();
  });
  let direct: BlobStore;
  let raw: BlobStore;
  let store: BlobStore;
  beforeEach(async () => {
    proxy = await faultProxy(server.endpoint);
    prefixes += 1;
    direct = s3Store({ ...place(), endpoint: server.endpoint });
    openFor(null);
  });
  const place = () => ({ bucket, prefix: `p${prefixes}`, credentials: async () => server.keys });
  /** Opens the store behind the proxy: one that waits long, so that a slow machine is no fault, unless that is the fault. */
  const openFor = (fault: Fault | null) => {
    const request = fault === 'silence' || fault === 'silence in the body' ? 500 : 20_000;
    raw = s3Store({ ...place(), endpoint: proxy.endpoint, timeouts: { request } });
    store = withRetries(raw, { baseDelay: 1 });
  };
  afterEach(async () => {
    await Promise.all([direct.close(), store.close()]);
    await proxy[Symbol.asyncDispose]();
  });

  /** This fault for the first so many requests of a kind. */
  const failFirst = (times: number, fault: Fault, which = /./) => {
    openFor(fault);
    let left = times;
    proxy.fault = (request) => (which.test(request) && left-- > 0 ? fault : null);
  };
  const failAlways = (fault: Fault) => {
    openFor(fault);
    proxy.fault = () => fault;
  };
  const sentenceOf = async (work: Promise<unknown>) => {
    const error = await work.then(
      () => null,
      (error: unknown) => error,
    );
    expect(error).toBeInstanceOf(StoreError);
    expect((error as StoreError).next).not.toBeNull();
    return (error as StoreError).sentence;
  };

  describe.each([...ON_THE_WAY, ...TO_WHAT_IS_SENT])('put: %s', (_, fault, says) => {
    const value = randomBytes(100_000);

    test('once, and it is there after another try', async () => {
      failFirst(1, fault);
      await store.put('blobs/a', value);
      expect((await direct.get('blobs/a'))?.equals(value)).toBe(true);
      expect(proxy.requests).toHaveLength(2);
    });

    test('always: one sentence, and the whole value or none', async () => {
      failAlways(fault);
      expect(await sentenceOf(store.put('blobs/a', value))).toMatch(says);
      const there = await direct.get('blobs/a');
      expect(there === null || there.equals(value)).toBe(true);
    });
  });

  describe.each([...ON_THE_WAY, ...TO_WHAT_IS_SENT])('put in parts: %s', (_, fault, says) => {
    const value = randomBytes(9 * MB);

    const sends = typeof fault === 'object' && 'sends' in fault;
    test.each([
      ...(sends ? [] : [['at the beginning', /POST .*\?uploads/] as const]), // a request without a body
      ['of a part', /PUT .*partNumber=2/] as const,
      ['at the end', /POST .*uploadId/] as const,
    ])('%s', async (_, which) => {
      failFirst(1, fault, which);
      expect(await sentenceOf(raw.put('blobs/large', value))).toMatch(says);
      const there = await direct.get('blobs/large');
      expect(there === null || there.equals(value)).toBe(true);
      await store.put('blobs/large', value);
      expect((await direct.get('blobs/large'))?.equals(value)).toBe(true);
    });
  });

  describe.each([...ON_THE_WAY, ...TO_WHAT_COMES])('get: %s', (_, fault, says) => {
    const value = randomBytes(300_000);
    beforeEach(() => direct.put('blobs/a', value));

    test('once, and it comes with another try', async () => {
      failFirst(1, fault);
      expect((await store.get('blobs/a'))?.equals(value)).toBe(true);
      expect(proxy.requests).toHaveLength(2);
    });

    test('always: one sentence, never a part', async () => {
      failAlways(fault);
      expect(await sentenceOf(store.get('blobs/a'))).toMatch(says);
      expect(proxy.requests).toHaveLength(4);
    });
  });

  test.each(ON_THE_WAY)('has, list, delete and id: %s', async (_, fault, says) => {
    const keys = Array.from({ length: 30 }, (_, at) => `blobs/${at}`);
    await Promise.all(keys.map((key) => direct.put(key, Buffer.from(key))));
    const id = await direct.id();
    for (const [call, expected] of [
      [() => store.has(keys.slice(0, 3)), new Set(keys.slice(0, 3))],
      [() => store.has(keys), new Set(keys)],
      [() => Array.fromAsync(store.list('blobs/')), [...keys].sort()],
      [() => store.id(), id],
      [() => store.delete('blobs/0'), undefined],
    ] as const) {
      failFirst(1, fault);
      expect(await call()).toEqual(expected);
    }
    expect(await direct.get('blobs/0')).toBeNull();
    failAlways(fault);
    expect(await sentenceOf(raw.has(keys.slice(0, 3)))).toMatch(says);
    expect(await sentenceOf(raw.has(keys))).toMatch(says);
    expect(await sentenceOf(Array.fromAsync(raw.list('blobs/')))).toMatch(says);
    expect(await sentenceOf(raw.delete('blobs/1'))).toMatch(says);
  });

  test('a list whose second page fails goes on, each key once', async () => {
    const keys = Array.from({ length: 1100 }, (_, at) => `blobs/${at}`);
    await Promise.all(keys.map((key) => direct.put(key, Buffer.from('a'))));
    failFirst(1, 'reset', /continuation-token/);
    expect(await Array.fromAsync(store.list('blobs/'))).toEqual([...keys].sort());
  });

  test('a page that is cut off is no page', async () => {
    await direct.put('blobs/a', Buffer.from('a'));
    for (const fault of [{ gives: half }, 'reset in the body'] as const) {
      proxy.fault = () => fault;
      expect(await sentenceOf(Array.fromAsync(raw.list('blobs/')))).toMatch(
        /does not answer as an S3 server|altered or cut off|broke/,
      );
    }
  });

  test('an answer that says another length than came is never a value', async () => {
    await direct.put('blobs/a', randomBytes(1000));
    for (const length of [999, 1001, 0, 5000]) {
      proxy.fault = () => ({ gives: (body) => body, length: () => length });
      const got = await raw.get('blobs/a').catch((error: unknown) => error);
      // HTTP cannot tell a body that is announced as shorter from a whole one: what is above knows its hash.
      if (length < 1000) expect(got).toHaveLength(length);
      else expect(got).toBeInstanceOf(StoreUnavailable);
    }
  });

  test('an object that claims to be huge is not read into memory', async () => {
    await direct.put('blobs/a', randomBytes(1000));
    proxy.fault = () => ({ gives: (body) => body, length: () => 10 ** 12 });
    expect(await sentenceOf(raw.get('blobs/a'))).toMatch(/more than 268435456 bytes/);
  });

  test('one of two who put the same at once is told of a conflict: it asks, and finds it there', async () => {
    await direct.put('blobs/a', Buffer.from('a'));
    proxy.fault = (request) => (request.startsWith('PUT') ? { answer: 409, code: 'ConditionalRequestConflict' } : null);
    await raw.put('blobs/a', Buffer.from('a'));
    expect(proxy.requests.map((request) => request.split(' ')[0])).toEqual(['PUT', 'GET']);
    expect(await sentenceOf(raw.put('blobs/b', Buffer.from('b')))).toMatch(/being written by somebody else/);
    failFirst(1, { answer: 409, code: 'ConditionalRequestConflict' }, /^PUT/);
    await store.put('blobs/b', Buffer.from('b'));
    expect(String(await direct.get('blobs/b'))).toBe('b');
  });

  test('a slow line is no dead one: what still moves is waited for', async () => {
    const value = randomBytes(2 * MB);
    await direct.put('blobs/a', value);
    openFor('silence');
    proxy.fault = () => ({ gives: (body) => body, pause: 100 });
    expect((await raw.get('blobs/a'))?.equals(value)).toBe(true);
  });
});
