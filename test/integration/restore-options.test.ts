import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import type { Restored } from '../../src/commands/restore.ts';
import { noted } from '../helpers/ownership.ts';
import { expectPlainFailure } from '../helpers/plain-sentence.ts';
import { createWorkplace, type Workplace } from '../helpers/workplace.ts';

/** A commit with two sessions of four turns in all; the answers of one are long. */
async function twoSessions(): Promise<Workplace> {
  const work = createWorkplace();
  const [one, other] = [work.session(), work.session()];
  one.say('first', 'short');
  other.say('second', 'long '.repeat(4000));
  one.call('ls', 'a file');
  one.say('third', 'short');
  other.say('fourth', 'short');
  work.commit();
  await noted(work);
  return work;
}

const textOf = ({ sessions }: Restored) => readFileSync(sessions[0]?.path as string, 'utf8');

test('--budget restores the newest whole turns that fit, and says so to the person and the model', async () => {
  using work = await twoSessions();
  const all = work.json<Restored>('restore', '--yes');
  expect(all.fit).toMatchObject([{ omitted_turns: 0, window: 200_000 }]);
  const some = work.json<Restored>('restore', '--yes', '--budget', '1000');
  expect(some).toMatchObject({ messages: 4, fit: [{ omitted_turns: 2 }] });
  expect(textOf(some)).toMatch(/earlier turns omitted.*third.*fourth/s);
  expect(textOf(some)).not.toContain('second');
  expect(some.fit[0]?.tokens).toBeLessThan((all.fit[0]?.tokens as number) - 4000);
  expect(work.cc('restore', '--yes', '--budget', '1k').stdout).toContain('  - 2 older turns left out to fit the budget\n');
});

test('a budget that not even the newest turn fits into, and what is no number', async () => {
  using work = await twoSessions();
  expectPlainFailure(
    work.cc('restore', '--yes', '--budget', '3'),
    /The newest turn alone takes about \d+ tokens, more than the budget of 3\..*--budget \d+/s,
  );
  for (const wrong of ['0', '-1', 'much', '10kb', '1e3']) {
    const ran = work.cc('restore', `--budget=${wrong}`);
    expect([ran.code, ran.stderr]).toEqual([2, expect.stringContaining('It takes a number of tokens')]);
  }
});

test('a conversation that the model cannot take is told with its numbers', () => {
  using work = createWorkplace();
  const session = work.session();
  session.say('a question', 'x'.repeat(900_000));
  session.say('another');
  work.commit();
  const told =
    /It takes about 3\d\d,\d{3} tokens \(25,000 of them system prompt and tools\), more than the 200,000 .* To restore less: --budget 140k/;
  const ran = work.cc('restore', '--yes');
  expect([ran.code, ran.stderr]).toEqual([0, expect.stringMatching(told)]);
  work.session().say('a second session');
  work.commit();
  expect(work.cc('restore', '--yes', 'HEAD~1').stderr).toMatch(told);
  expect(work.cc('restore', '--yes', '--budget', '140k', 'HEAD~1').stderr).toBe('');
});

test('--verify shows what went in and what came out, and why they differ', async () => {
  using work = await twoSessions();
  const { stdout, code } = work.cc('restore', '--yes', '--budget', '1k');
  expect(code).toBe(0);
  expect(stdout.slice(stdout.indexOf('captured')).replaceAll(/ +/g, ' ')).toBe(`captured restored
prompts 4 2 2 left out to fit the budget
replies 5 2 3 left out to fit the budget
tool calls 1 0 1 left out to fit the budget
tool results 1 0 1 left out to fit the budget
Every difference is explained; what was restored is unchanged and in order.
`);
  expect(work.json<Restored>('restore', '--dry-run').accounts?.[0]?.unexplained).toEqual([]);
});
