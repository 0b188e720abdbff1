import { expect, test } from 'vitest';
import { EMPTY_TALLY, tallyRecord } from '../../src/claude/tally.ts';

const count = (...records: (object | string)[]) => {
  const tally = structuredClone(EMPTY_TALLY);
  for (const record of records) tallyRecord(tally, Buffer.from(typeof record === 'string' ? record : JSON.stringify(record)));
  return tally;
};
const prompt = { type: 'user', message: { role: 'user', content: 'hello' } };
const reply = (id: string) => ({ type: 'assistant', message: { id, role: 'assistant', content: [] } });
const result = (id: string) => ({
  type: 'user',
  message: { role: 'user', content: [{ type: 'tool_result', tool_use_id: id, content: 'x' }] },
});

test.each([
  ['a prompt and a reply', [prompt, reply('a')], 2],
  ['the lines of one reply count once', [prompt, reply('a'), reply('a'), reply('a')], 2],
  ['the results of parallel calls count once', [prompt, reply('a'), result('1'), reply('a'), result('2'), reply('b')], 4],
  [
    'meta, sidechain, API errors, unknown types do not count',
    [{ ...prompt, isMeta: true }, { ...prompt, isSidechain: true }, { ...reply('a'), isApiErrorMessage: true }, { type: 'mode' }],
    0,
  ],
  ['a record without a message does not count', [{ type: 'user' }], 0],
  ['lines that are no JSON object do not count', ['{', 'null', '[]', '"x"', ''], 0],
])('%s', (_, records, expected) => expect(count(...records).message_count).toBe(expected));

test('directory, version and times are the last ones told', () => {
  const tally = count(
    { ...prompt, cwd: '/a', version: '2.0.76', timestamp: '2026-01-01T00:00:00Z' },
    { ...prompt, cwd: '/b', version: '2.1.329', timestamp: '2026-01-02T00:00:00Z' },
    { type: 'mode', timestamp: 'never' },
  );
  expect(tally).toMatchObject({
    directory: '/b',
    agent_version: '2.1.329',
    started_at: '2026-01-01T00:00:00Z',
    ended_at: '2026-01-02T00:00:00Z',
  });
});

test('a count goes on where it stopped, also in the middle of a reply', () => {
  const tally = count(prompt, reply('a'));
  const later = structuredClone(tally);
  tallyRecord(later, Buffer.from(JSON.stringify(reply('a'))));
  expect(later.message_count).toBe(2);
});
