import { expect, test } from 'vitest';
import { readConversation } from '../../src/claude/conversation.ts';
import type { TranscriptRecord } from '../../src/claude/records.ts';
import { textOf } from '../../src/core/conversation.ts';
import type { MergedConversation } from '../../src/core/merge.ts';
import { mergeConversations } from '../../src/core/merge.ts';
import type { SessionBuilder } from './session-builder.ts';
import { session } from './session-builder.ts';

const merge = (...sessions: SessionBuilder[]): MergedConversation =>
  mergeConversations(sessions.map((s) => readConversation(String(s.records[0]?.['sessionId']), s.records)));
const outline = ({ items }: MergedConversation): string[] =>
  items.map((item) => (item.kind === 'marker' ? `--- ${item.session_id}` : item.turn.messages.map(textOf).join(' ')));
const at = (minute: number): string => new Date(Date.UTC(2026, 0, 1, 10, minute)).toISOString();
/** A session with a prompt at each minute, named for it. */
const prompts = (name: string, ...minutes: number[]): SessionBuilder => {
  const s = session(name);
  for (const [index, minute] of minutes.entries()) {
    s.prompt(`${name}${minute}`, { timestamp: at(minute) });
    s.reply(`${name}-m${index}`, `re ${name}${minute}`);
  }
  return s;
};

test('turns of all sessions in the order of their prompts, marked where the session changes', () => {
  expect(outline(merge(prompts('a', 1, 4), prompts('b', 2, 3)))).toEqual([
    'a1 re a1',
    '--- b',
    'b2 re b2',
    'b3 re b3',
    '--- a',
    'a4 re a4',
  ]);
});

test('a turn that another session started within stays whole', () => {
  const a = prompts('a', 1);
  a.call('late', 't1', { timestamp: at(9) });
  a.result('t1', 'r1');
  expect(merge(a, prompts('b', 2)).items.map((item) => (item.kind === 'turn' ? item.turn.messages.length : 0))).toEqual([
    4, 0, 2,
  ]);
});

test('equal times are ordered by the ids of the sessions, whatever order they are given in', () => {
  const [a, b, c] = [prompts('a', 1, 2), prompts('b', 1, 2), prompts('c', 1)];
  expect(outline(merge(a, b, c))).toEqual(outline(merge(c, b, a)));
  expect(outline(merge(a, b)).filter((line) => !line.startsWith('---'))).toEqual([
    'a1 re a1',
    'b1 re b1',
    'a2 re a2',
    'b2 re b2',
  ]);
});

test("a session's own order stays when its clock jumps back, or is no time at all", () => {
  const lines = (merged: MergedConversation): string[] => outline(merged).filter((line) => !line.startsWith('---'));
  expect(lines(merge(prompts('a', 5, 1, 7), prompts('b', 3, 6)))).toEqual([
    'b3 re b3',
    'a5 re a5',
    'a1 re a1',
    'b6 re b6',
    'a7 re a7',
  ]);
  const a = prompts('a', 1);
  a.prompt('a timeless');
  a.records[2] = { ...a.records[2], timestamp: 'no time' };
  expect(lines(merge(a, prompts('b', 2)))).toEqual(['a1 re a1', 'a timeless', 'b2 re b2']);
});

test('nothing and one', () => {
  expect(mergeConversations([])).toEqual({ items: [], duplicates: 0 });
  expect(outline(merge(prompts('a', 1, 2), session('b')))).toEqual(['a1 re a1', 'a2 re a2']);
});

test('the history that a session took over from another comes once', () => {
  const a = prompts('a', 1, 2);
  const b = prompts('a', 1, 2);
  b.prompt('goes on', { timestamp: at(3) });
  for (const [index, record] of b.records.entries()) b.records[index] = { ...record, sessionId: 'b' };
  const merged = merge(a, b);
  expect(outline(merged)).toEqual(['a1 re a1', 'a2 re a2', '--- b', 'goes on']);
  expect(merged.duplicates).toBe(2);
});

test('of two versions of a turn the one that has more is kept, in either order', () => {
  const whole = prompts('a', 1);
  whole.call('m1', 't1');
  whole.result('t1', 'r1');
  const captured = { ...whole, records: whole.records.slice(0, -1).map((record) => ({ ...record, sessionId: 'b' })) };
  for (const merged of [merge(whole, captured), merge(captured, whole)]) {
    expect(JSON.stringify(merged)).toContain('"content":"r1"');
    expect([merged.items.length, merged.duplicates]).toEqual([1, 1]);
  }
});

test('two turns that only began alike are both kept', () => {
  const a = prompts('a', 1);
  const b = { ...a, records: a.records.map((record): TranscriptRecord => ({ ...record, sessionId: 'b' })) };
  a.reply('own a', 'one way');
  b.records = [
    ...b.records,
    { ...a.records.at(-1), uuid: 'b3', sessionId: 'b', message: { id: 'own b', content: [{ type: 'text', text: 'another' }] } },
  ];
  expect(outline(merge(a, b))).toEqual(['a1 re a1 one way', '--- b', 'a1 re a1 another']);
});

test('turns that ask something else under the same ids are no copies of each other', () => {
  const [a, b] = [prompts('a', 1), prompts('a', 2)];
  for (const record of b.records) Object.assign(record, { sessionId: 'b' });
  const merged = merge(a, b);
  expect([outline(merged), merged.duplicates]).toEqual([['a1 re a1', '--- b', 'a2 re a2'], 0]);
});
