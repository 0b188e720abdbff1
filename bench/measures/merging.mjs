import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { inTurn, median } from '../paired.mjs';
import { folder, makeWorkplace, PACKAGE, timed } from '../workplace.mjs';

/** Sizes of the sessions, in MB. */
const SIZES = [50, 25, 15, 10];
const CC_RESTORE = join(PACKAGE, 'bin', 'cc-restore.js');
const READ_AND_PARSE = join(import.meta.dirname, 'read-and-parse.mjs');

/** (h) Sessions of 100 MB together, merged and written, against reading them from the store and parsing each line; and the memory of that. */
export async function merging() {
  const place = makeWorkplace({ name: 'merging', hooks: 'cc-context' });
  for (const [seed, megabytes] of SIZES.entries()) place.session(seed + 1).growTo(megabytes * 1e6);
  await place.commit();
  const projects = join(place.home, '.claude', 'projects');
  rmSync(projects, { recursive: true }); // no session is active
  const memory = join(folder('memory'), 'peak');
  const told = join(folder('memory'), 'peak.cjs');
  writeFileSync(
    told,
    `process.on('exit', () => require('fs').writeFileSync(${JSON.stringify(memory)}, String(process.resourceUsage().maxRSS)));`,
  );
  const peaks = [];
  const samples = await inTurn(
    { rounds: 5, warmups: 1 },
    {
      parse: () => timed(process.execPath, [READ_AND_PARSE, join(place.store, 'store.db')], { env: place.env }),
      restore: () => {
        const took = timed(process.execPath, ['--require', told, CC_RESTORE, '--yes'], { cwd: place.dir, env: place.env });
        peaks.push(Number(readFileSync(memory, 'utf8')) / 1024);
        rmSync(projects, { recursive: true });
        return took;
      },
    },
  );
  const ratio = median(samples.restore.map((took, round) => took / samples.parse[round]));
  const megabytes = median(peaks);
  return [
    {
      id: 'h',
      what: 'merging and writing four sessions of 100 MB together / reading and parsing them',
      target: 3,
      measured: ratio,
      note: `${median(samples.restore).toFixed(0)} ms against ${median(samples.parse).toFixed(0)} ms`,
    },
    {
      id: 'h',
      what: 'its memory at most / the largest of the sessions',
      target: 4,
      measured: megabytes / SIZES[0],
      note: `${megabytes.toFixed(0)} MB against ${SIZES[0]} MB`,
    },
  ];
}
