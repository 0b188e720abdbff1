import { expect, test } from 'vitest';
import { sha256 } from '../../src/core/hash.ts';
import type { Bucket } from '../../storage-adapters/s3/bucket.ts';
import { present } from '../../storage-adapters/s3/presence.ts';

/** Names of a bucket, and what was asked of it. */
function bucketOf(names: string[]) {
  const sorted = [...names].sort();
  const asked = { exists: 0, list: 0 };
  const bucket = {
    exists: async (name: string) => (asked.exists++, sorted.includes(name)),
    list: async (prefix: string, { after = '' } = {}) => {
      asked.list++;
      const all = sorted.filter((name) => name.startsWith(prefix) && name > after);
      return { names: all.slice(0, 1000), next: all.length > 1000 ? 'more' : null };
    },
  };
  return { bucket: bucket as unknown as Bucket, asked };
}

const keys = (from: number, to: number) =>
  Array.from({ length: to - from }, (_, at) => `p/blobs/${sha256(Buffer.from(String(from + at)))}`);

test.each([
  ['few keys are asked for one by one', keys(0, 5000), keys(4990, 5006), { exists: 16, list: 0 }],
  ['many keys of a small store: its one page', keys(0, 900), keys(800, 1000), { exists: 0, list: 1 }],
  ['many keys of a store about as large: its pages', keys(0, 3500), keys(500, 4500), { exists: 0, list: 4 }],
  ['a bucket with nothing', [], keys(0, 100), { exists: 0, list: 1 }],
])('%s', async (_, there, wanted, requests) => {
  const { bucket, asked } = bucketOf(there);
  expect(await present(bucket, wanted, 8)).toEqual(new Set(there).intersection(new Set(wanted)));
  expect(asked).toEqual(requests);
});

test('some keys of a large store: one page shows that lists do not pay, then one by one', async () => {
  const there = keys(0, 50_000);
  const wanted = keys(49_950, 50_050);
  const { bucket, asked } = bucketOf(there);
  expect(await present(bucket, wanted, 8)).toEqual(new Set(keys(49_950, 50_000)));
  expect(asked.list).toBe(1);
  expect(asked.exists).toBeLessThan(100);
});

test('blobs and manifests together, the same key twice', async () => {
  const blobs = keys(0, 40);
  const manifests = keys(100, 140).map((key) => key.replace('blobs', 'manifests'));
  const { bucket, asked } = bucketOf([...blobs, ...manifests]);
  const wanted = [...blobs, ...blobs, ...manifests, ...keys(200, 230)];
  expect(await present(bucket, wanted, 8)).toEqual(new Set([...blobs, ...manifests]));
  expect(asked).toEqual({ exists: 0, list: 2 });
});
