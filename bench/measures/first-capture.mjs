import { rmSync, utimesSync } from 'node:fs';
import { join } from 'node:path';
import { inTurn, median } from '../paired.mjs';
import { makeWorkplace, timed } from '../workplace.mjs';

/** (e) The commit that captures a session of 100 MB for the first time, against compressing and hashing the same file. */
export async function firstCapture() {
  const place = makeWorkplace({ name: 'first-capture', hooks: 'cc-context' });
  const session = place.session();
  session.growTo(100e6);
  const compressed = join(place.home, 'compressed.zst');
  const samples = await inTurn(
    { rounds: 5, warmups: 1 },
    {
      zstd: () => timed('zstd', ['-q', '-3', '-f', '-o', compressed, session.path], { env: place.env }),
      sha256: () => timed('sha256sum', [session.path], { env: place.env }),
      commit: async () => {
        rmSync(place.store, { recursive: true, force: true });
        for (const ending of ['', '-wal', '-shm'])
          rmSync(join(place.dir, '.git', 'cc-context', `state.db${ending}`), { force: true });
        utimesSync(session.path, new Date(), new Date());
        return (await place.commit()).waited;
      },
    },
  );
  const bare = median(samples.zstd.map((took, round) => took + samples.sha256[round]));
  const commit = median(samples.commit);
  if (place.contexts() !== samples.commit.length + 1) throw new Error('a commit has no context');
  return [
    {
      id: 'e',
      what: 'first capture of 100 MB / (zstd -3 + sha256sum)',
      target: 3,
      measured: commit / bare,
      note: `${commit.toFixed(0)} ms against ${median(samples.zstd).toFixed(0)} + ${median(samples.sha256).toFixed(0)} ms`,
    },
  ];
}
