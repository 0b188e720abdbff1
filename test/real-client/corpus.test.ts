import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { CLAUDE_VERSIONS } from '../helpers/claude-install.ts';
import { alone, type CorpusCase, corpusSessions, pairs, triples } from '../helpers/corpus.ts';
import { type CorpusDesk, openDesk } from '../helpers/corpus-desk.ts';
import { answeredIn, expectedOf, heardIn, isMarker } from '../helpers/corpus-expected.ts';

/** How many cases are under way at once. */
const DESKS = 2;

vi.setConfig({ testTimeout: 120_000, maxConcurrency: DESKS });

const sessions = corpusSessions();
const two = pairs(sessions, { all: process.env['CC_CORPUS'] === 'all' });
const cases = [...alone(sessions), ...two, ...triples(sessions, 50)];
/** Pairs of so few bytes that they fit on one screen: they are looked at in the TUI too. */
const short = new Set(two.filter((one) => lengthOf(one) < 12_000));
/** The client whose own reading of an original is looked at: older ones cut newer sessions short. */
const NEWEST = CLAUDE_VERSIONS[0];

/**
 * Real sessions through the product's own path: a commit captures them (unredacted), `cc-restore` merges, validates and writes
 * them, and both clients resume what it wrote. What the mock of the Messages API then received is compared with the raw records,
 * and, for one session alone, with what the newest client sends of the original.
 *
 * `CC_CORPUS=all npx vitest run test/real-client/corpus.test.ts` takes every two sessions of a project, not only neighbours.
 */
describe.skipIf(sessions.length === 0)('real transcripts, merged and resumed', () => {
  const desks: CorpusDesk[] = [];
  const free: CorpusDesk[] = [];
  beforeAll(async () => {
    while (desks.length < DESKS) desks.push(await openDesk());
    free.push(...desks);
  });
  afterAll(async () => {
    for (const desk of desks) await desk.close();
  });

  const atDesk = async (work: (desk: CorpusDesk) => Promise<void>): Promise<void> => {
    const desk = free.pop();
    if (desk === undefined) throw new Error('more tests run at once than there are desks');
    try {
      await work(desk);
    } finally {
      free.push(desk);
    }
  };

  test('there are enough of them', () => {
    expect(sessions.length).toBeGreaterThan(50);
    expect(two.length).toBeGreaterThan(60);
    expect(short.size).toBeGreaterThan(10);
    expect(sessions.flatMap(({ results }) => results).length).toBeGreaterThan(1000);
  });

  test.concurrent.each(cases.map((one): [string, CorpusCase] => [one.name, one]))('%s', (_, one) =>
    atDesk(async (desk) => {
      const expected = expectedOf(one);
      const { sessions: restored } = desk.restore(one);
      expect(restored).toHaveLength(1);
      const session_id = restored[0]?.session_id ?? '';
      for (const version of CLAUDE_VERSIONS) {
        const { messages, violations } = await desk.resume(version, session_id);
        expect(violations, version).toEqual([]);
        expect(heardIn(messages, one), version).toEqual(expected);
        const [only, ...more] = one.members;
        if (version === NEWEST && only !== undefined && more.length === 0) {
          const original = await desk.resumeOriginal(version, only);
          expect(answeredIn(messages)).toEqual(expect.arrayContaining(answeredIn(original.messages)));
        }
        if (short.has(one)) {
          const tui = await desk.tui(version, session_id);
          await tui.waitFor((screen) => expected.dialogue.filter(isMarker).every((line) => screen.includes(line)));
          await tui.exit();
        }
      }
    }),
  );
});

function lengthOf({ members }: CorpusCase): number {
  return members.reduce((sum, { session }) => sum + session.length, 0);
}
