import { expect, test } from 'vitest';
import { readRecords } from '../../src/claude/records.ts';

test('lines that are no JSON object are counted, blank ones are not', () => {
  const bytes = Buffer.from('{"type":"user"}\n\nnot json\n[1]\nnull\n"text"\n{"type":"assistant"}\n{"half":');
  expect(readRecords(bytes)).toEqual({ records: [{ type: 'user' }, { type: 'assistant' }], bad_lines: 5 });
});

test('pieces may be cut anywhere, also inside a letter', () => {
  const bytes = Buffer.from('{"a":"ünï"}\n{"b":"Ж"}\r\n');
  const pieces = [...bytes].map((byte) => Buffer.from([byte]));
  expect(readRecords(pieces).records).toEqual([{ a: 'ünï' }, { b: 'Ж' }]);
});

test('invalid UTF-8, NUL bytes and __proto__ do no harm', () => {
  const bytes = Buffer.concat([
    Buffer.from('{"a":"'),
    Buffer.from([0xff, 0xfe]),
    Buffer.from('"}\n\0\0\n{"__proto__":{"polluted":1}}\n'),
  ]);
  const { records, bad_lines } = readRecords(bytes);
  expect([records.length, bad_lines]).toEqual([2, 1]);
  expect(({} as { polluted?: number }).polluted).toBeUndefined();
});

test('a record that is nested too deep to be written again is a bad line', () => {
  const deep = `{"a":${'['.repeat(200_000)}${']'.repeat(200_000)}}`;
  expect(readRecords(Buffer.from(`${deep}\n{}\n`))).toEqual({ records: [{}], bad_lines: 1 });
});
