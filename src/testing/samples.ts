import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import type { BlobStore } from '../storage/blob-store.ts';

const hash = (name: string | number): string => createHash('sha256').update(String(name)).digest('hex');

/** A key as most of them are. */
export const blob = (name: string | number): string => `blobs/${hash(name)}`;

/** Keys of every form there can be. Pairs of them become one where `/` is written as another character. */
export const KEYS: string[] = [
  blob('a'),
  `manifests/${hash('a')}`,
  'tombstones/0b5a0f5e-3d1c-4a8e-9a57-2f6f0a1d9c11',
  'tombstones/sessions/0b5a0f5e-3d1c-4a8e-9a57-2f6f0a1d9c11',
  `blobs-x/${hash('a')}`,
  `blobs/x-${hash('a')}`,
  `blobs_x/${hash('a')}`,
  `blobs/x_${hash('a')}`,
  `blobs.x/${hash('a')}`,
  `blobs/x.${hash('a')}`,
  'blobs/1',
  'blobs/12',
  `a/${'b'.repeat(100)}/${'c'.repeat(98)}`,
];

/** 9 MB that no compression makes small. */
export function largeValue(seed: number): Buffer {
  const bytes = Buffer.allocUnsafe(9 * 1024 * 1024);
  let state = seed;
  for (let at = 0; at < bytes.length; at += 4) {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    bytes.writeUInt32LE(state, at);
  }
  return bytes;
}

/** Does some work for each of these, a few at a time. */
export async function each<T>(items: T[], work: (item: T) => Promise<unknown>, atOnce = 16): Promise<void> {
  const left = [...items];
  const worker = async () => {
    for (let item = left.shift(); item !== undefined; item = left.shift()) await work(item);
  };
  await Promise.all(Array.from({ length: atOnce }, worker));
}

export const keysOf = (store: BlobStore, prefix: string): Promise<string[]> => Array.fromAsync(store.list(prefix));

/** The key has this value. A difference is told in a line: values can be large. */
export async function assertValue(store: BlobStore, key: string, expected: Buffer): Promise<void> {
  const bytes = await store.get(key);
  assert.ok(bytes !== null, `${key} is not there`);
  assert.ok(Buffer.isBuffer(bytes), `${key} is given as no Buffer, but ${Object.prototype.toString.call(bytes)}`);
  assert.ok(bytes.length === expected.length, `${key} has ${bytes.length} bytes, not ${expected.length}`);
  if (bytes.equals(expected)) return;
  assert.fail(`${key} is another value, from byte ${bytes.findIndex((byte, at) => byte !== expected[at])} on`);
}
