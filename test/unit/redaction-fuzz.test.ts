import fc from 'fast-check';
import { expect, it } from 'vitest';
import { mayHoldSecret, redactRecord } from '../../src/core/redaction/index.ts';
import { budgetFor, findSecrets } from '../../src/core/redaction/search.ts';
import { encodings } from './redaction-encodings.ts';
import { kinds } from './redaction-kinds.ts';

const secrets = [...kinds(11), ...kinds(12)].map((kind) => kind.text);
const piece = fc.oneof(
  fc.constantFrom(...secrets),
  fc.constantFrom(
    '"',
    '\\',
    '\\\\"',
    '\\n',
    '\n',
    '%25',
    '%',
    '\u001b[1m',
    '12→',
    'token=',
    'pass',
    '://u:',
    '@',
    '[REDACTED:jwt]',
    ':',
    '=',
    'é',
    ' ',
  ),
  fc.string({ maxLength: 12 }),
);
const text = fc.array(piece, { maxLength: 12 }).map((pieces) => pieces.join(''));
const encoded = fc
  .tuple(text, fc.array(fc.constantFrom(...Object.values(encodings)), { maxLength: 3 }))
  .map(([plain, layers]) => Buffer.from(layers.reduce((all, encode) => encode(all), plain)));
const cut = fc
  .tuple(encoded, fc.nat(), fc.nat())
  .map(([bytes, a, b]) => bytes.subarray(a % (bytes.length + 1), bytes.length - (b % 40)));

it('redacting twice is redacting once', () => {
  fc.assert(
    fc.property(fc.oneof(encoded, cut), (input) => {
      const once = redactRecord(input).bytes;
      expect(redactRecord(once).bytes.toString('latin1')).toBe(once.toString('latin1'));
    }),
    { numRuns: 400, seed: 1 },
  );
});

it('valid JSON stays valid', () => {
  fc.assert(
    fc.property(fc.array(encoded, { minLength: 1, maxLength: 3 }), fc.boolean(), (parts, nested) => {
      const value = parts.map((part) => part.toString());
      const record = JSON.stringify(nested ? { [value[0] as string]: [JSON.stringify(value)] } : value);
      expect(() => JSON.parse(redactRecord(Buffer.from(record)).bytes.toString())).not.toThrow();
    }),
    { numRuns: 400, seed: 2 },
  );
});

it('the fast filter passes whatever the search would find', () => {
  fc.assert(
    fc.property(fc.oneof(encoded, cut), (input) => {
      if (!mayHoldSecret(input, 0, input.length)) expect(findSecrets(input, budgetFor(input.length))).toEqual([]);
    }),
    { numRuns: 400, seed: 3 },
  );
});
