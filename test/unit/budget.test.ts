import fc from 'fast-check';
import { expect, test } from 'vitest';
import { withinBudget } from '../../src/core/budget.ts';
import type { Conversation, Message, Turn } from '../../src/core/conversation.ts';
import { countMessages } from '../../src/core/conversation.ts';
import { type MergedConversation, mergeConversations, turnsOf } from '../../src/core/merge.ts';
import { UserError } from '../../src/errors.ts';

/** Turns named for their sessions, in order, one a second; a turn's messages are a prompt, a reply and one that does not count. */
function merged(sessions: string): MergedConversation {
  const turns = [...sessions].map((session_id, second): Turn => {
    const at = new Date(Date.UTC(2026, 0, 1, 10, 0, second)).toISOString();
    const message = (role: Message['role'], id: string, meta = false): Message => ({
      role,
      content: [{ type: 'text', text: id }],
      at,
      id,
      meta,
      model: null,
      usage: null,
      summary: false,
    });
    return {
      session_id,
      at,
      messages: [message('user', `p${second}`), message('assistant', `r${second}`), message('user', `m${second}`, true)],
    };
  });
  const conversation = (session_id: string): Conversation => ({
    session_id,
    agent_version: null,
    cwd: null,
    title: null,
    turns: turns.filter((turn) => turn.session_id === session_id),
    closed_calls: 0,
  });
  return mergeConversations([...new Set(sessions)].map(conversation));
}

const outline = ({ items }: MergedConversation): string =>
  items.map((item) => (item.kind === 'turn' ? item.turn.session_id : `>${item.session_id} `)).join('');
const ten = (): number => 10;

test('nothing is left out where all fits', () => {
  const all = merged('aabba');
  expect(withinBudget(all, 50, ten)).toEqual({ merged: all, omitted_turns: 0, omitted_messages: 0, tokens: 50 });
  expect(withinBudget({ items: [], duplicates: 3 }, 0, ten).merged).toEqual({ items: [], duplicates: 3 });
});

test.each([
  [49, 'a>b bb>a a', 1],
  [39, 'bb>a a', 2],
  [29, 'b>a a', 3],
  [19, 'a', 4],
  [10, 'a', 4],
])('%i tokens for five turns of ten: %s', (budget, kept, omitted) => {
  const { merged: part, omitted_turns, omitted_messages, tokens } = withinBudget(merged('aabba'), budget, ten);
  expect([outline(part), omitted_turns, omitted_messages]).toEqual([kept, omitted, 2 * omitted]);
  expect(tokens).toBe(10 * (5 - omitted));
});

test('an older turn that would fit is not kept where a newer one does not fit', () => {
  const sizes = [1, 100, 5, 5];
  const all = merged('aaaa');
  const size = (turn: Turn): number => sizes[turnsOf(all).indexOf(turn)] as number;
  expect(withinBudget(all, 50, size)).toMatchObject({ omitted_turns: 2, tokens: 10 });
});

test('not even the newest turn fits: one sentence and what to do', () => {
  const fails = (): unknown => withinBudget(merged('ab'), 9999, () => 12_345.6);
  expect(fails).toThrow(UserError);
  expect(fails).toThrow('The newest turn alone takes about 12,346 tokens, more than the budget of 9,999.');
});

test('always the newest whole turns, as many as fit, marked as if they were all', () => {
  const plans = fc.array(fc.record({ session: fc.constantFrom('a', 'b', 'c'), size: fc.nat(50) }), {
    minLength: 1,
    maxLength: 15,
  });
  fc.assert(
    fc.property(plans, fc.nat(400), (plan, budget) => {
      const all = merged(plan.map(({ session }) => session).join(''));
      const turns = turnsOf(all);
      const size = (turn: Turn): number => plan[turns.indexOf(turn)]?.size as number;
      if (size(turns.at(-1) as Turn) > budget) {
        expect(() => withinBudget(all, budget, size)).toThrow(UserError);
        return;
      }
      const { merged: part, omitted_turns, omitted_messages, tokens } = withinBudget(all, budget, size);
      const kept = turnsOf(part);
      expect(kept).toEqual(turns.slice(omitted_turns));
      expect(tokens).toBe(kept.reduce((sum, turn) => sum + size(turn), 0));
      expect(tokens).toBeLessThanOrEqual(budget);
      if (omitted_turns > 0) expect(tokens + size(turns[omitted_turns - 1] as Turn)).toBeGreaterThan(budget);
      expect(omitted_messages).toBe(countMessages(turns) - countMessages(kept));
      expect(outline(part)).toBe(outline(merged(kept.map(({ session_id }) => session_id).join(''))));
    }),
  );
});
