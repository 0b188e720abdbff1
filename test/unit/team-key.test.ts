import { inspect } from 'node:util';
import { expect, test } from 'vitest';
import { formatTeamKeys, newTeamKey, parseTeamKeys, type TeamKey, teamKey } from '../../src/core/team-key.ts';

const secret = Buffer.from(Array.from({ length: 32 }, (_, at) => at));
const hex = secret.toString('hex');
const idsOf = (text: string) => {
  const parsed = parseTeamKeys(text);
  if ('problem' in parsed) throw new Error(parsed.problem);
  return parsed.keys.map(({ id }) => id);
};

test('what is derived from a key never changes: what was stored could not be read', () => {
  const { id, values, names, hidden } = teamKey(secret);
  expect([id, ...[values, names, hidden].map((key) => key.export().toString('hex'))]).toEqual(DERIVED);
});

/** RFC 5869 over the bytes 0 to 31 without salt, info `cc-context 1 <use>`, as Python's `hmac` computes it. */
const DERIVED = [
  'e48ee2aaf59544983f865918e830322b',
  '9340fc32de39070a4afd9938f979e8341d2be891180037199e55ce15bbb0be94',
  '2f1478ab45791cd5823a49c3ffe991c77b71eaece13fee258b49e8bd9554b8fd',
  'a6018d2bc8905c278e9b57801c91c73f7abadc58f75bcee954321223a4007bed',
];

test.each([
  ['hex', hex],
  ['hex in capitals', hex.toUpperCase()],
  ['base64', secret.toString('base64')],
  ['base64url', secret.toString('base64url')],
  ['the form of a key file', `cck1_${hex}`],
  ['with blanks and a comment', `# team\n\n  ${hex}   # of May\r\n`],
])('a key as %s', (_, text) => expect(idsOf(text)).toEqual([teamKey(secret).id]));

test('several keys keep their order, each once', () => {
  const [a, b] = [newTeamKey(), newTeamKey()];
  expect(idsOf(formatTeamKeys([a, b]) + formatTeamKeys([a]))).toEqual([a.id, b.id]);
  expect(idsOf([b, a].map(({ secret }) => secret.export().toString('base64')).join(','))).toEqual([b.id, a.id]);
});

test.each([
  ['empty', '', 'there is no key in it'],
  ['only a comment', '# nothing\n', 'there is no key in it'],
  ['too short', `${hex}\n${hex.slice(2)}`, 'line 2 is no key of 32 bytes in hex or base64'],
  ['too long', `${hex}00`, 'line 1 is no key of 32 bytes in hex or base64'],
  ['33 bytes in base64', Buffer.alloc(33, 1).toString('base64'), 'line 1 is no key of 32 bytes in hex or base64'],
  ['bytes as they are', secret.toString('latin1'), 'line 1 is no key of 32 bytes in hex or base64'],
])('no key: %s', (_, text, problem) => expect(parseTeamKeys(text)).toEqual({ problem }));

test('a key shows itself in no printed form', () => {
  const key: TeamKey = teamKey(secret);
  for (const shown of [
    inspect(key, { depth: 9, showHidden: true }),
    JSON.stringify(key),
    String(key),
    `${inspect(new Error('x', { cause: key }))}`,
  ])
    for (const form of [hex, secret.toString('base64'), '0, 1, 2, 3', '00 01 02 03']) expect(shown).not.toContain(form);
});
