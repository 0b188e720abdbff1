import { expect, it } from 'vitest';
import { redactRecord } from '../../src/core/redaction/index.ts';
import { budgetFor, findSecrets } from '../../src/core/redaction/search.ts';
import { noise } from './redaction-kinds.ts';

const MB = 1024 * 1024;
const fill = (text: string, length = MB) => text.repeat(Math.ceil(length / text.length)).slice(0, length);
const nestedJson = (levels: number) => {
  let text = 'x';
  for (let i = 0; i < levels; i++) text = JSON.stringify({ a: text });
  return text;
};
const nestedBase64 = (levels: number) => {
  let text = 'some text that is long enough to be looked at, again and again';
  for (let i = 0; i < levels; i++) text = Buffer.from(text).toString('base64');
  return text;
};

it.each([
  ['backslashes', fill('\\', 5 * MB)],
  ['escaped quotes', fill('\\"')],
  ['unicode escapes', fill('\\u005c')],
  ['levels of JSON', nestedJson(18)],
  ['levels of arrays', '['.repeat(5 * MB)],
  ['percent signs', fill('%25', 5 * MB)],
  ['levels of percent', `%${'25'.repeat(MB)}41`],
  ['escape characters', fill('\u001b[')],
  ['unfinished titles', fill('\u001b]0;')],
  ['base64 of text', Buffer.from(fill('plain words in a long text. ', 4 * MB)).toString('base64')],
  ['levels of base64', nestedBase64(25)],
  ['short runs of base64', fill(`${Buffer.from('words in a short text').toString('base64')} `)],
  ['wrapped base64', fill(`${Buffer.from(fill('words, ', 57)).toString('base64')}\n`)],
  ['base64 noise', noise(1)(5 * MB)],
  ['names without values', fill('password=')],
  ['names in one long value', `secret=${fill('password-')}`],
  ['names in names', fill('token_')],
  ['tokens in tokens', fill('eyJ-')],
  ['dashed keys', fill('sk-ant-')],
  ['keys that never end', fill(`-----BEGIN ${'PRIVATE KEY'}-----\n`)],
  ['one key that never ends', `-----BEGIN ${'PRIVATE KEY'}-----${fill(' A,')}`],
  ['URLs without a host', fill('://a:')],
  ['curl without a password', fill('curl ')],
  ['machines', fill('machine a login ')],
  ['glue', `password${fill('\\" ')}`],
  ['types', fill('token: a.a')],
  ['bearers', fill('bearer ')],
  ['webhook ids', fill(`${'1'.repeat(30)}:AA`)],
  ['names in a value', fill('secret:"')],
])('%s end, within the work allowed', (_, text) => {
  const bytes = Buffer.from(text);
  const budget = budgetFor(bytes.length);
  findSecrets(bytes, budget);
  expect(budget.bytes).toBeGreaterThanOrEqual(-2 * bytes.length);
  const { bytes: output } = redactRecord(bytes);
  expect(redactRecord(output).bytes.equals(output)).toBe(true);
});
