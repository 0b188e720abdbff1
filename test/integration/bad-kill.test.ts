import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import type { ListedCommit } from '../../src/commands/list.ts';
import { expectNoTrace } from '../helpers/plain-sentence.ts';
import { restoredTranscript } from '../helpers/restored.ts';
import { canTrace, traceHook } from '../helpers/traced-hook.ts';
import { createWorkplace } from '../helpers/workplace.ts';

/** System calls by which a capture leaves something behind: the first one to die at, the step to the next, and how many deaths there are at least. */
const POINTS: [calls: string, first: number, step: number, least: number][] = [
  ['pwrite64', 1, 1, 15],
  ['fsync,fdatasync', 1, 1, 3],
  ['write', 1, 1, 4],
  ['openat', 18, 2, 8],
  ['unlink,ftruncate,rename', 1, 1, 2],
  ['clone,clone3,vfork,fork', 1, 1, 8],
];

describe.runIf(canTrace)('kill -9 of the hook', () => {
  test.each(POINTS)(
    'at %s: the commit is made, and the next one owns everything',
    (calls, first, step, least) => {
      using work = createWorkplace();
      const session = work.session();
      const versions: Buffer[] = [];
      let killed = 0;
      const owned = () => {
        const newest = work.contexts();
        expect(newest.length).toBeGreaterThan(0);
        expect(restoredTranscript(work).equals(readFileSync(session.path))).toBe(true);
        versions.push(readFileSync(session.path));
      };
      session.say('the question');
      work.commit();
      owned();
      for (let count = first, survived = 0; survived < 2; count += step) {
        session.say(`killed at ${calls} ${count}`);
        const tracing = traceHook(work, ['-e', `inject=${calls}:signal=KILL:when=${count}`]);
        const { stderr } = work.commit();
        tracing.end();
        expectNoTrace(stderr);
        if (/the capture was killed/.test(stderr)) killed += 1;
        else survived += 1;
        session.say('and on');
        expectNoTrace(work.commit().stderr);
        owned();
        expect(work.dirt()).toBe('');
      }
      expect(killed).toBeGreaterThanOrEqual(least);
      const commits = work.json<ListedCommit[]>('list', '--limit', '0').filter(({ has_context }) => has_context);
      for (const { commit } of commits) expect(work.cc('restore', commit, '--yes').stderr).toBe('');
      expect(commits.length).toBeGreaterThanOrEqual(versions.length);
    },
    180_000,
  );
});
