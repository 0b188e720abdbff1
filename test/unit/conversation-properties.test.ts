import fc from 'fast-check';
import { expect, test } from 'vitest';
import { allMessages, readConversation } from '../../src/claude/conversation.ts';
import type { TranscriptRecord } from '../../src/claude/records.ts';
import { readRecords } from '../../src/claude/records.ts';
import { holdsResults, promptOf } from '../../src/core/conversation.ts';
import { mergeConversations, turnsOf } from '../../src/core/merge.ts';
import { validateTranscript, writePortable } from '../helpers/portable.ts';
import { session } from './session-builder.ts';

const NOW = new Date('2026-06-01T00:00:00.000Z');
const options = { sessionId: 'new', cwd: '/there', version: '2.1.329', title: 'all', now: NOW };

/** Any records: forks, cycles, missing parents, uuids and call ids that come twice, sidechains, boundaries, times in any order. */
const anyRecord = fc
  .record({
    kind: fc.constantFrom(
      'prompt',
      'meta',
      'reply',
      'call',
      'calls',
      'result',
      'boundary',
      'summary',
      'last-prompt',
      'system',
      'junk',
    ),
    uuid: fc.integer({ min: 0, max: 30 }),
    parent: fc.option(fc.integer({ min: 0, max: 35 })),
    id: fc.integer({ min: 0, max: 8 }),
    second: fc.constantFrom(0, 1, 1, 2, 5000, -7, Number.NaN),
    isSidechain: fc.constantFrom(false, false, false, true),
  })
  .map(({ kind, uuid, parent, id, second, isSidechain }): TranscriptRecord => {
    const timestamp = Number.isNaN(second) ? 'never' : new Date(Date.UTC(2026, 0, 1) + second * 1000).toISOString();
    const chain = { uuid: `u${uuid}`, parentUuid: parent === null ? null : `u${parent}`, isSidechain, timestamp, sessionId: 's' };
    const user = (content: unknown): TranscriptRecord => ({ ...chain, type: 'user', message: { role: 'user', content } });
    const reply = (...content: unknown[]): TranscriptRecord => ({
      ...chain,
      type: 'assistant',
      message: { id: `m${id}`, role: 'assistant', content },
    });
    const call = (number: number): object => ({ type: 'tool_use', id: `t${number}`, name: 'Bash', input: {} });
    switch (kind) {
      case 'prompt':
        return user(`prompt ${uuid}`);
      case 'meta':
        return { ...user('meta'), isMeta: true };
      case 'reply':
        return reply({ type: 'thinking', thinking: 'hm' }, { type: 'text', text: id % 2 === 0 ? '' : `text ${id}` });
      case 'call':
        return reply(call(id));
      case 'calls':
        return reply(call(id), call(id + 1), call(id));
      case 'result':
        return user([{ type: 'tool_result', tool_use_id: `t${id}`, content: `result ${uuid}` }]);
      case 'boundary': {
        const preservedMessages = { anchorUuid: `u${id}`, uuids: [`u${id + 1}`, `u${id + 2}`] };
        return {
          ...chain,
          type: 'system',
          subtype: 'compact_boundary',
          ...(id % 2 === 0 && { compactMetadata: { preservedMessages } }),
        };
      }
      case 'summary':
        return { ...user('summary'), isCompactSummary: true };
      case 'last-prompt':
        return { type: 'last-prompt', leafUuid: parent === null ? null : `u${parent}`, explicit: id % 3 === 0 };
      case 'system':
        return { ...chain, type: 'system', subtype: 'local_command', content: 'output' };
      default:
        return { ...chain, type: 'user', message: [null, 1, { content: [null, 7, { type: 3 }] }][id % 3] };
    }
  });

test('whatever the records are, what is written is sound and has the live prompts', () => {
  fc.assert(
    fc.property(fc.array(fc.array(anyRecord, { maxLength: 40 }), { maxLength: 3 }), (sessions) => {
      const conversations = sessions.map((records, index) => readConversation(`s${index}`, records));
      const merged = mergeConversations(conversations);
      const turns = turnsOf(merged);
      expect(turns.length + merged.duplicates).toBe(conversations.reduce((sum, { turns }) => sum + turns.length, 0));
      for (const turn of turns) expect(promptOf(turn)?.content.length).toBeGreaterThan(0);
      const { lines } = writePortable(merged, options);
      if (turns.length > 0) expect(validateTranscript(lines, NOW.getTime())).toEqual([]);
      const written = readConversation('new', readRecords(Buffer.from(lines.join('\n'))).records);
      expect(written.turns.map((turn) => turn.at)).toEqual(turns.map((turn) => turn.at));
      for (const records of sessions) allMessages('s', records);
    }),
    { numRuns: 2000 },
  );
});

/** What happened in a session, one thing after another: each is either a step of the current turn or starts a new one. */
const anySteps = fc.array(
  fc.record({
    kind: fc.constantFrom('prompt', 'text', 'calls', 'rewind'),
    calls: fc.integer({ min: 1, max: 4 }),
    order: fc.boolean(),
    lost: fc.constantFrom(false, false, false, true),
    seconds: fc.constantFrom(0, 1, 1, 60, -30),
  }),
  { minLength: 1, maxLength: 25 },
);

test('every prompt and result of the live branch arrives, unchanged, in order of time', () => {
  fc.assert(
    fc.property(fc.array(anySteps, { minLength: 1, maxLength: 3 }), (plans) => {
      const expected = plans.map((steps, index) => play(`s${index}`, steps));
      const conversations = expected.map(({ name, records }) => readConversation(name, records));
      const merged = mergeConversations(conversations);
      expect(merged.duplicates).toBe(0);
      for (const { name, turns } of expected) {
        const own = turnsOf(merged).filter((turn) => turn.session_id === name);
        expect(own.map((turn) => [promptOf(turn)?.id, ...resultsOf(turn.messages)])).toEqual(turns);
      }
      const { lines } = writePortable(merged, options);
      expect(validateTranscript(lines, NOW.getTime())).toEqual([]);
    }),
    { numRuns: 500 },
  );
});

function resultsOf(messages: ReturnType<typeof allMessages>): unknown[] {
  return messages.filter(holdsResults).flatMap((message) => message.content.map((block) => block['content']));
}

/** Plays steps as Claude Code records them; also what must come out: for each live turn its prompt's uuid and its results. */
function play(
  name: string,
  steps: { kind: string; calls: number; order: boolean; lost: boolean; seconds: number }[],
): { name: string; records: TranscriptRecord[]; turns: unknown[][] } {
  const s = session(name);
  let time = Date.UTC(2026, 0, 1);
  const turns: unknown[][] = [];
  const ends: string[] = [];
  for (const [index, { kind, calls, order, lost, seconds }] of steps.entries()) {
    time += seconds * 1000;
    const timestamp = new Date(time).toISOString();
    const parentUuid = lost && kind !== 'rewind' && index > 0 ? { parentUuid: 'lost' } : {};
    if (kind === 'prompt' || turns.length === 0) {
      turns.push([s.prompt(`prompt ${index}`, { timestamp, ...parentUuid })]);
    } else if (kind === 'rewind' && turns.length > 1) {
      turns.pop();
      ends.length = turns.length;
      turns.push([s.prompt(`again ${index}`, { timestamp, parentUuid: ends.at(-1) })]);
    } else if (kind === 'calls') {
      const uses = Array.from({ length: calls }, (_, number) => ({ id: `${name}-${index}-${number}`, uuid: '' }));
      for (const [number, use] of uses.entries())
        use.uuid = s.call(`m${name}${index}`, use.id, { timestamp, ...(number === 0 ? parentUuid : {}) });
      for (const use of order ? uses : uses.toReversed())
        s.result(use.id, `result ${use.id}`, { timestamp, parentUuid: use.uuid });
      turns.at(-1)?.push(...uses.map((use) => `result ${use.id}`));
    } else {
      s.reply(`m${name}${index}`, `text ${index}`, { timestamp, ...parentUuid });
    }
    ends[turns.length - 1] = String(s.records.at(-1)?.['uuid']);
  }
  return { name, records: s.records, turns };
}
