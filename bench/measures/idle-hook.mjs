import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { inTurn, median, medianDifference } from '../paired.mjs';
import { makeWorkplace } from '../workplace.mjs';

/** (a) A commit with no Claude session about, against the same commit with empty sh hooks. */
export async function idleHook() {
  const [empty, ours] = [makeWorkplace({ name: 'empty', hooks: 'empty' }), makeWorkplace({ name: 'idle', hooks: 'cc-context' })];
  // Sessions of other projects, as on the machine of anybody who uses Claude Code.
  for (let other = 0; other < 50; other += 1) {
    const project = join(ours.home, '.claude', 'projects', `-home-user-other-${other}`);
    mkdirSync(project, { recursive: true });
    for (let at = 0; at < 5; at += 1) writeFileSync(join(project, `00000000-0000-4000-a000-00000000000${at}.jsonl`), '{}\n');
  }
  const samples = await inTurn(
    { rounds: 25 },
    { empty: async () => (await empty.commit()).all, ours: async () => (await ours.commit()).all },
  );
  const more = medianDifference(samples.ours, samples.empty);
  return [
    {
      id: 'a',
      what: 'commit with no session about, more than with empty sh hooks',
      target: 15,
      measured: more,
      unit: 'ms',
      note: `${median(samples.ours).toFixed(1)} ms against ${median(samples.empty).toFixed(1)} ms`,
    },
  ];
}
