import { existsSync, globSync, readFileSync } from 'node:fs';
import { basename } from 'node:path';
import { fileURLToPath } from 'node:url';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { readConversation } from '../../src/claude/conversation.ts';
import { ledgerOf } from '../../src/claude/ledger.ts';
import { portableRecords } from '../../src/claude/portable.ts';
import type { TranscriptRecord } from '../../src/claude/records.ts';
import { readRecords } from '../../src/claude/records.ts';
import { type Account, countsOf, KINDS } from '../../src/core/account-book.ts';
import { account, type Ledger, type SessionLedger } from '../../src/core/accounting.ts';
import { fingerprintOf } from '../../src/core/block.ts';
import { withinBudget } from '../../src/core/budget.ts';
import { type Block, NO_RESULT, type Turn } from '../../src/core/conversation.ts';
import { mergeConversations, turnsOf } from '../../src/core/merge.ts';
import type { SessionBuilder } from './session-builder.ts';
import { session } from './session-builder.ts';

// Real transcripts, which may not be copied into the project.
const CORPUS = fileURLToPath(new URL('../../../shared/transcripts/', import.meta.url));
const options = { sessionId: 'new', cwd: '/there', version: '2.1.329', title: 'all', now: new Date('2027-01-01T00:00:00.000Z') };

interface Given {
  id: string;
  records: TranscriptRecord[];
}

/** Restores sessions and says what became of everything; `turns`: how many of the newest turns are kept. */
function restored(sessions: Given[], turns = Number.POSITIVE_INFINITY): Ledger {
  const conversations = sessions.map(({ id, records }) => readConversation(id, records));
  const merged = mergeConversations(conversations);
  const { merged: kept } = withinBudget(merged, turns, () => 1);
  const written = [...portableRecords(kept, options)].map((record) => JSON.parse(JSON.stringify(record)) as TranscriptRecord);
  return {
    sessions: sessions.map(({ id, records }, index) => ledgerOf(id, records, conversations[index]?.turns ?? [])),
    merged: turnsOf(merged),
    kept: turnsOf(kept),
    restored: readConversation('new', written).turns,
  };
}

const given = (...builders: SessionBuilder[]): Given[] =>
  builders.map(({ records }) => ({ id: String(records[0]?.['sessionId']), records }));
const accountOf = (...builders: SessionBuilder[]): Account => account(restored(given(...builders)), fingerprintOf);
/** `captured → restored` and the reasons, for prompts, replies, calls and results. */
const brief = ({ rows }: Account): string[] =>
  rows.map(({ captured, restored: out, lost, closed }) =>
    [
      `${captured} → ${out}`,
      ...Object.entries(lost)
        .map(([reason, count]) => `${reason} ${count}`)
        .sort(),
      ...(closed > 0 ? [`closed ${closed}`] : []),
    ].join(', '),
  );

/** What must hold of every account without a finding. */
function expectBalanced({ rows, unexplained }: Account): void {
  expect(unexplained).toEqual([]);
  for (const { kind, captured, restored: out, lost, closed } of rows)
    expect([kind, captured - Object.values(lost).reduce((sum, count) => sum + count, 0) + closed]).toEqual([kind, out]);
}

const long = (): SessionBuilder => {
  const s = session('a');
  s.prompt('one');
  s.reply('m1', { type: 'thinking', thinking: 'hm', signature: 's' });
  s.reply('m1', 'let me see');
  const [first, second] = [s.call('m1', 't1'), s.call('m1', 't2')];
  s.result('t1', 'r1', { parentUuid: first });
  s.result('t2', [{ type: 'text', text: 'r2' }], { parentUuid: second });
  s.reply('m2', 'done');
  s.prompt('two');
  s.call('m3', 't3');
  s.result('t3', 'r3');
  s.reply('m4', 'done again');
  s.reply('m4', 'done again'.repeat(2));
  return s;
};

test('what people, model and tools said', () => {
  const [{ captured }] = restored(given(long())).sessions as [SessionLedger];
  expect(countsOf(captured)).toEqual({ prompts: 2, replies: 4, tool_calls: 3, tool_results: 3 });
});

test('all arrives', () => {
  const result = accountOf(long());
  expect(brief(result)).toEqual(['2 → 2', '4 → 4', '3 → 3', '3 → 3']);
  expectBalanced(result);
});

test('a branch that was rewound', () => {
  const s = session('a');
  s.prompt('one');
  const fork = s.reply('m1', 'yes');
  s.prompt('wrong');
  s.call('m2', 't1');
  s.result('t1', 'r');
  s.prompt('right', { parentUuid: fork });
  s.reply('m3', 'ok');
  const result = accountOf(s);
  expect(brief(result)).toEqual(['3 → 2, rewound 1', '3 → 2, rewound 1', '1 → 0, rewound 1', '1 → 0, rewound 1']);
  expectBalanced(result);
});

test('a compaction that preserved messages, a branch rewound before it, and a context that was cleared', () => {
  const s = session('a');
  s.prompt('cleared away');
  const fork = s.prompt('one', { parentUuid: null });
  s.prompt('rewound');
  const preserved = [s.prompt('two', { parentUuid: fork }), s.reply('m1', 'yes')];
  const boundary = s.add({ type: 'system', subtype: 'compact_boundary', parentUuid: null, logicalParentUuid: preserved[1] });
  const anchorUuid = s.add({ type: 'user', isCompactSummary: true, message: { role: 'user', content: 'summary' } });
  Object.assign(s.records.find(({ uuid }) => uuid === boundary) as object, {
    compactMetadata: { preservedMessages: { anchorUuid, uuids: preserved } },
  });
  s.prompt('three', { parentUuid: preserved[1] as string });
  const result = accountOf(s);
  expect(brief(result)).toEqual(['5 → 2, cleared 1, compacted 1, rewound 1', '1 → 1', '0 → 0', '0 → 0']);
  expectBalanced(result);
});

test('turns of another session, a budget, a running call, nothing but thinking, results without a call or repeated', () => {
  const a = long();
  const b = { ...a, records: a.records.map((record) => ({ ...record, sessionId: 'b' })) };
  const c = session('c', '2026-02-01T10:00:00.000Z');
  c.prompt('three');
  c.reply('n1', { type: 'thinking', thinking: 'hm', signature: 's' });
  c.prompt('  ');
  c.call('n2', 'u1');
  c.result('u1', 'once');
  c.result('u1', 'twice');
  c.result('unknown', 'r');
  c.call('n3', 'u2');
  const ledger = restored(given(a, b, c), 2);
  const result = account(ledger, fingerprintOf);
  expect(brief(result)).toEqual([
    '6 → 2, budget 1, duplicate 2, empty 1',
    '11 → 4, budget 2, duplicate 4, empty 1',
    '8 → 3, budget 2, duplicate 3',
    '9 → 3, budget 2, duplicate 3, no_call 1, repeated 1, closed 1',
  ]);
  expectBalanced(result);
});

test('a session in which nobody wrote a prompt', () => {
  const s = session('a');
  s.reply('m1', 'hello');
  s.call('m2', 't1');
  s.result('t1', 'r');
  const result = accountOf(s, long());
  expect(brief(result)).toEqual(['2 → 2', '6 → 4, no_prompt 2', '4 → 3, no_prompt 1', '4 → 3, no_prompt 1']);
  expectBalanced(result);
});

describe('what has no reason is reported', () => {
  const ledger = (): Ledger => {
    const a = long();
    a.prompt('three');
    a.reply('m5', 'and done');
    return restored(given(a));
  };
  const found = (changed: Ledger): string[] =>
    account(changed, fingerprintOf).unexplained.map(
      ({ what, kind, block, message_id }) => `${what} ${kind} ${block} ${message_id}`,
    );

  test('a message that the reader lost', () => {
    const lost = ledger();
    for (const turn of [lost.kept[0], lost.restored[0]]) turn?.messages.splice(3, 1);
    expect(found(lost)).toEqual(['missing replies null m2']);
  });

  test('a turn that the merge lost though no other session has it', () => {
    const { merged, kept, ...rest } = ledger();
    const without = (turns: Turn[]): Turn[] => turns.filter((_, index) => index !== 1);
    expect(found({ ...rest, merged: without(merged), kept: without(kept), restored: without(rest.restored) })).toEqual([
      'missing prompts null a-9',
      'missing replies null m3',
      'missing tool_calls tool_use m3',
      'missing tool_results tool_result m3',
      'missing replies null m4',
    ]);
  });

  test('a turn that was left out though a newer and an older one were kept', () => {
    const { kept, restored: out, ...rest } = ledger();
    const without = (turns: Turn[]): Turn[] => turns.filter((_, index) => index !== 1);
    expect(found({ ...rest, kept: without(kept), restored: without(out) })).toHaveLength(5);
  });

  test('a message that is said to be rewound and is not', () => {
    const wrong = ledger();
    const [{ captured, off_branch }] = wrong.sessions as [SessionLedger];
    (off_branch as Map<unknown, unknown>).set(captured[0], 'rewound');
    expect(found(wrong)).toEqual(['added prompts null a-1']);
  });

  test('a result that was lost when the messages were made of the records', () => {
    const wrong = ledger();
    for (const one of wrong.sessions) one.results.all += 1;
    expect(found(wrong)).toEqual(['missing tool_results tool_result ']);
  });

  test('a result that answers another call', () => {
    const wrong = ledger();
    const [turn] = wrong.restored as [Turn];
    const calls = turn.messages.flatMap(({ content }) => content.filter(({ type }) => type === 'tool_use'));
    const [one, other] = calls as [Block, Block];
    [one['id'], other['id']] = [other['id'], one['id']];
    expect(found(wrong)).toEqual(['mispaired tool_results tool_result a-6', 'mispaired tool_results tool_result a-6']);
  });

  test('a tool by another name', () => {
    const wrong = ledger();
    const call = wrong.restored
      .flatMap(({ messages }) => messages)
      .flatMap(({ content }) => content)
      .find(({ type }) => type === 'tool_use');
    (call as Block)['name'] = 'Write';
    expect(found(wrong)).toEqual(['altered tool_calls tool_use m1']);
  });

  test('ids of calls that were renamed are no difference', () => {
    const renamed = ledger();
    for (const block of renamed.restored.flatMap(({ messages }) => messages).flatMap(({ content }) => content)) {
      if (block.type === 'tool_use') block['id'] = `new ${block['id']}`;
      if (block.type === 'tool_result') block['tool_use_id'] = `new ${block['tool_use_id']}`;
    }
    expect(found(renamed)).toEqual([]);
  });

  test('whatever is dropped, altered, doubled or moved in the file', () => {
    const size = blocksOf(ledger().restored).length;
    const place = fc.nat(size - 1);
    const mutation = fc.record({ kind: fc.constantFrom('drop', 'alter', 'double', 'swap'), at: place, other: place });
    fc.assert(
      fc.property(mutation, ({ kind, at, other }) => {
        fc.pre(kind !== 'swap' || at !== other);
        const changed = ledger();
        const places = blocksOf(changed.restored);
        const [one, two] = [places[at], places[other]] as [Place, Place];
        if (kind === 'drop') one.content.splice(one.index, 1);
        else if (kind === 'alter') one.content[one.index] = { ...(one.content[one.index] as Block), more: 'of it' };
        else if (kind === 'double') one.content.splice(one.index, 0, one.content[one.index] as Block);
        else
          [one.content[one.index], two.content[two.index]] = [two.content[two.index] as Block, one.content[one.index] as Block];
        expect(found(changed)).not.toEqual([]);
      }),
      { numRuns: 500 },
    );
  });
});

/** Sessions in which anything follows anything: branches, results of other calls, compactions, cleared contexts, replies that say nothing. */
const anySession = fc
  .array(
    fc.record({
      kind: fc.constantFrom('prompt', 'prompt', 'reply', 'thought', 'call', 'call', 'result', 'result', 'boundary'),
      id: fc.nat(5),
      parent: fc.oneof({ weight: 5, arbitrary: fc.constant('last') }, fc.constantFrom(null, 'lost'), fc.nat(30)),
    }),
    { minLength: 1, maxLength: 30 },
  )
  .map((steps): Given => {
    const s = session('s');
    for (const { kind, id, parent } of steps) {
      const parentUuid = typeof parent === 'number' ? `s-${parent}` : parent;
      const more = parent === 'last' ? {} : { parentUuid };
      if (kind === 'prompt') s.prompt(`prompt ${s.records.length}`, more);
      else if (kind === 'reply') s.reply(`m${id}`, `text ${id}`, more);
      else if (kind === 'thought') s.reply(`thought ${id}`, { type: 'thinking', thinking: 'hm', signature: 's' }, more);
      else if (kind === 'call') s.call(`m${id}`, `t${id}`, more);
      else if (kind === 'result') s.result(`t${id}`, `result ${s.records.length}`, more);
      else
        s.add({
          type: 'system',
          subtype: 'compact_boundary',
          parentUuid: null,
          logicalParentUuid: s.records.at(-1)?.['uuid'] ?? null,
        });
    }
    return { id: 's', records: s.records };
  });

test('whatever a session is like, everything has its reason', () => {
  fc.assert(
    fc.property(anySession, fc.integer({ min: 1, max: 4 }), (one, turns) => {
      expectBalanced(account(restored([one], turns), fingerprintOf));
    }),
    { numRuns: 1000 },
  );
});

test('whatever a session is like, a message or a result that the reader drops is missed', () => {
  fc.assert(
    fc.property(anySession, fc.nat(), fc.boolean(), (one, at, whole) => {
      const ledger = restored([one]);
      const places = ledger.kept.flatMap(({ messages }) =>
        messages.flatMap((message, index) => {
          const counts = countsOf([message]);
          const own = message.content.some((block) => block.type === 'tool_result' && block['content'] !== NO_RESULT);
          return (whole ? counts.prompts + counts.replies > 0 : own) ? [{ messages, index }] : [];
        }),
      );
      const place = places[at % places.length];
      fc.pre(place !== undefined);
      const { messages, index } = place as (typeof places)[number];
      messages.splice(index, 1);
      const file = [...portableRecords({ items: ledger.kept.map((turn) => ({ kind: 'turn', turn })), duplicates: 0 }, options)];
      ledger.restored = readConversation('new', file).turns;
      expect(account(ledger, fingerprintOf).unexplained).not.toEqual([]);
    }),
    { numRuns: 1000 },
  );
});

describe.skipIf(!existsSync(CORPUS))('real transcripts', () => {
  const sessions = globSync('**/*.jsonl', { cwd: CORPUS })
    .sort()
    .map((path): Given => ({ id: basename(path, '.jsonl'), records: readRecords(readFileSync(CORPUS + path)).records }));

  test('nothing is unexplained, of one alone and of three together', () => {
    const reasons = new Set<string>();
    for (const index of sessions.keys()) {
      for (const steps of [[0], [0, 7, 19]]) {
        const some = steps.map((step) => sessions[(index + step) % sessions.length] as Given);
        const result = account(restored(some), fingerprintOf);
        expectBalanced(result);
        for (const { lost } of result.rows) for (const reason of Object.keys(lost)) reasons.add(reason);
      }
    }
    expect(reasons.size).toBeGreaterThan(3);
  });

  test('every block that is missing in the file is found', () => {
    const [given] = sessions.filter(({ records }) => records.length > 200).slice(0, 1);
    const ledger = restored([given as Given]);
    expect(KINDS.every((kind) => countsOf(ledger.kept.flatMap(({ messages }) => messages))[kind] > 0)).toBe(true);
    for (const { content, index } of blocksOf(ledger.restored).filter((_, at) => at % 7 === 0)) {
      const [block] = content.splice(index, 1);
      expect(account(ledger, fingerprintOf).unexplained).not.toEqual([]);
      content.splice(index, 0, block as Block);
    }
  });
});

interface Place {
  content: Block[];
  index: number;
}

function blocksOf(turns: Turn[]): Place[] {
  const contents = turns.flatMap(({ messages }) => messages.map(({ content }) => content));
  return contents.flatMap((content) => content.map((_, index) => ({ content, index })));
}
