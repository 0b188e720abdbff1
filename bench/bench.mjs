/** `npm run bench`: measures against the targets of docs/performance.md; `npm run bench -- b e` only some. Ends with 1 when one is missed. */
import { besideSessionlog } from './measures/beside-sessionlog.mjs';
import { firstCapture } from './measures/first-capture.mjs';
import { growingSession } from './measures/growing-session.mjs';
import { idleHook } from './measures/idle-hook.mjs';
import { longHistory } from './measures/long-history.mjs';
import { manySessions } from './measures/many-sessions.mjs';
import { merging } from './measures/merging.mjs';
import { storeSize } from './measures/store-size.mjs';

const MEASURES = {
  a: idleHook,
  b: growingSession,
  c: manySessions,
  d: storeSize,
  e: firstCapture,
  f: longHistory,
  g: besideSessionlog,
  h: merging,
};

const wanted = process.argv.slice(2);
let missed = 0;
for (const [id, measure] of Object.entries(MEASURES)) {
  if (wanted.length > 0 && !wanted.includes(id)) continue;
  for (const result of await measure()) {
    const passed = result.target === null || result.measured <= result.target;
    if (!passed) missed += 1;
    print(result, passed);
  }
}
console.log(missed === 0 ? 'All targets are met.' : `${missed} missed.`);
process.exit(missed === 0 ? 0 : 1);

function print({ id, what, target, measured, unit = '', note }, passed) {
  const verdict = target === null ? '     ' : passed ? 'pass ' : 'MISS ';
  const bound = target === null ? '' : `at most ${target} ${unit}`.trim();
  console.log(
    `(${id}) ${verdict} ${measured.toFixed(2).padStart(6)} ${unit.padEnd(2)}  ${bound.padEnd(13)}  ${what}\n${' '.repeat(36)}${note}`,
  );
}
