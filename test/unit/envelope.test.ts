import { brotliCompressSync, constants } from 'node:zlib';
import { expect, test } from 'vitest';
import { parseEnvelope, seal, unseal } from '../../src/core/envelope.ts';
import { sha256 } from '../../src/core/hash.ts';
import { IntegrityError } from '../../src/errors.ts';

const content = Buffer.from('{"type":"user"}\n'.repeat(1000));

test('what was sealed comes back, with and without a base', async () => {
  const alone = await seal(content, null);
  expect(unseal(parseEnvelope(alone, 'x'), null, 'x').equals(content)).toBe(true);
  const base = Buffer.from('{"type":"assistant","text":"the same words again"}\n'.repeat(50));
  const more = Buffer.from('{"type":"assistant","text":"the same words again"}\n{"new":1}\n');
  const sealed = await seal(more, { hash: sha256(base), content: base });
  const envelope = parseEnvelope(sealed, 'x');
  expect(envelope.base).toBe(sha256(base));
  expect(unseal(envelope, base, 'x').equals(more)).toBe(true);
  expect(sealed.length).toBeLessThan((await seal(more, null)).length + 32);
});

test('every changed byte is noticed, by the envelope or by the hash of what it gives', async () => {
  const small = Buffer.from('{"type":"user","message":{"content":"hello"}}\n');
  const sealed = await seal(small, null);
  for (let at = 0; at < sealed.length; at += 1) {
    const changed = Buffer.from(sealed);
    changed[at] = (changed[at] as number) ^ 0x55;
    let given: Buffer | null = null;
    try {
      given = unseal(parseEnvelope(changed, 'x'), null, 'x');
    } catch (error) {
      expect(error).toBeInstanceOf(IntegrityError);
    }
    if (given !== null) expect(sha256(given) === sha256(small) && !given.equals(small)).toBe(false);
  }
});

test('every truncation is an error', async () => {
  const sealed = await seal(content, null);
  for (let length = 0; length < sealed.length; length += 1) {
    expect(() => unseal(parseEnvelope(sealed.subarray(0, length), 'x'), null, 'x')).toThrow(IntegrityError);
  }
});

test('a compression bomb is not unpacked', () => {
  const bomb = brotliCompressSync(Buffer.alloc(256 * 1024 * 1024), { params: { [constants.BROTLI_PARAM_QUALITY]: 1 } });
  const header = Buffer.from([...Buffer.from('CCX1'), 1, 0, 0, 0x10, 0, 0]);
  expect(() => unseal(parseEnvelope(Buffer.concat([header, bomb]), 'x'), null, 'x')).toThrow(IntegrityError);
  header.writeUInt32BE(0xffffffff, 5);
  expect(() => parseEnvelope(Buffer.concat([header, bomb]), 'x')).toThrow(IntegrityError);
});

test('empty content', async () => {
  expect(unseal(parseEnvelope(await seal(Buffer.alloc(0), null), 'x'), null, 'x')).toHaveLength(0);
});
