import { randomBytes } from 'node:crypto';
import { expect, test } from 'vitest';
import { Chunker } from '../../src/core/chunking.ts';

const cut = (records: Buffer[]) => {
  const chunker = new Chunker();
  return [...records.flatMap((record) => chunker.push(record)), ...chunker.flush()];
};
const records = (count: number, size = 3000) =>
  Array.from({ length: count }, () => Buffer.from(`${randomBytes(size / 2).toString('hex')}\n`));

test('chunks hold every byte, and end where records end', () => {
  const given = records(1000);
  const chunks = cut(given);
  expect(Buffer.concat(chunks).equals(Buffer.concat(given))).toBe(true);
  expect(chunks.length).toBeGreaterThan(2);
  for (const chunk of chunks) {
    expect(chunk.at(-1)).toBe(10);
    expect(chunk.length).toBeLessThan(2 * 1024 * 1024 + 3001);
  }
});

test('two files that share a stretch share its chunks, wherever it begins', () => {
  const shared = records(2000);
  const first = cut([...records(10), ...shared]).map(String);
  const second = new Set(cut([...records(333), ...shared]).map(String));
  expect(first.filter((chunk) => second.has(chunk)).length).toBeGreaterThan(first.length / 2);
});

test('a record longer than a piece is cut inside', () => {
  const long = Buffer.concat([randomBytes(9 * 1024 * 1024), Buffer.from('\n')]);
  const given = [Buffer.from('{}\n'), long, Buffer.from('{}\n')];
  const chunks = cut(given);
  expect(chunks.map(({ length }) => length)).toEqual([3, 4194304, 4194304, 1048577, 3]);
  expect(Buffer.concat(chunks).equals(Buffer.concat(given))).toBe(true);
});

test('nothing gives no chunk', () => expect(cut([])).toEqual([]));
