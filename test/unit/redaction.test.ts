import { describe, expect, it } from 'vitest';
import { mayHoldSecret, redactRecord, redactText } from '../../src/core/redaction/index.ts';
import { encodings, survives } from './redaction-encodings.ts';
import { kinds } from './redaction-kinds.ts';

describe.each(Object.entries(encodings))('secrets, %s', (_, encode) => {
  it.each(kinds(1).map((kind, i) => [`${i} ${kind.name}`, kind] as const))('%s', (_name, kind) => {
    const input = Buffer.from(encode(kind.text));
    expect(mayHoldSecret(input, 0, input.length)).toBe(true);
    const { bytes, counts } = redactRecord(input);
    expect(survives(kind, bytes)).toBe(false);
    expect(Object.keys(counts).length).toBeGreaterThan(0);
    expect(bytes.includes('[REDACTED:')).toBe(true);
    if (input[0] === 0x7b) JSON.parse(bytes.toString());
    const again = redactRecord(bytes);
    expect(again.bytes).toBe(bytes);
  });
});

it('names the kind and leaves the rest', () => {
  for (const kind of kinds(2)) {
    const { bytes, counts } = redactText(Buffer.from(kind.text));
    expect([kind.name, ...Object.keys(counts)].slice(0, 2)).toSatisfy(([, found]: string[]) => kind.rules.includes(found as string));
    expect(Object.values(counts)).toEqual([1]);
    if (kind.name === 'private-key') continue;
    const [before, after] = kind.text.split(kind.secret) as [string, string];
    const [found, rest] = bytes.toString().split(/\[REDACTED:[a-z0-9-]+\]/) as [string, string];
    expect(kind.text.startsWith(found)).toBe(true);
    expect(before.startsWith(found) || found.startsWith(before)).toBe(true);
    expect(rest).toBe(after);
  }
});
