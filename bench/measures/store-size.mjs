import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { makeWorkplace, run } from '../workplace.mjs';

const COMMITS = 50;
const STEP = 1_000_000;

/** (d) The store after 50 commits of a session that grew to 50 MB, against the last file compressed as one. */
export async function storeSize() {
  const place = makeWorkplace({ name: 'store-size', hooks: 'cc-context' });
  const session = place.session();
  for (let commit = 1; commit <= COMMITS; commit += 1) {
    session.growTo(commit * STEP);
    await place.commit();
  }
  if (place.contexts() !== COMMITS) throw new Error(`${place.contexts()} of ${COMMITS} commits have a context`);
  const stored = sizeOf(place.store);
  const whole = Number(run('sh', ['-c', 'zstd -q -3 --long=27 -c "$0" | wc -c', session.path], { env: place.env }));
  return [
    {
      id: 'd',
      what: 'store after 50 commits of a session that grew to 50 MB / zstd -3 --long=27 of the last file',
      target: 1.3,
      measured: stored / whole,
      note: `${(stored / 1e6).toFixed(2)} MB against ${(whole / 1e6).toFixed(2)} MB`,
    },
  ];
}

/** Bytes of all files below a folder. */
export function sizeOf(folder) {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .reduce((sum, entry) => sum + statSync(join(entry.parentPath, entry.name)).size, 0);
}
