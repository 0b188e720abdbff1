import { inTurn, medianDifference } from '../paired.mjs';
import { makeWorkplace } from '../workplace.mjs';

/** (c) 500 sessions in the project directory, all captured before, against 1; one of them goes on in either. */
export async function manySessions() {
  const plain = makeWorkplace({ name: 'plain', hooks: 'none' });
  const [one, many] = [1, 500].map((count) => begin(count));
  for (const { place } of [one, many]) await place.commit();

  const hooks =
    ({ place, session }) =>
    async () => {
      session?.growTo(session.size + 100_000);
      return (await place.commit()).waited;
    };
  const samples = await inTurn({ rounds: 15 }, { plain: hooks({ place: plain }), one: hooks(one), many: hooks(many) });
  const [few, lots] = [medianDifference(samples.one, samples.plain), medianDifference(samples.many, samples.plain)];
  return [
    {
      id: 'c',
      what: '500 sessions in the project directory / 1',
      target: 1.3,
      measured: lots / few,
      note: `${lots.toFixed(0)} ms against ${few.toFixed(0)} ms`,
    },
  ];
}

function begin(count) {
  const place = makeWorkplace({ name: `sessions-${count}`, hooks: 'cc-context' });
  const sessions = Array.from({ length: count }, (_, seed) => place.session(seed + 1));
  for (const session of sessions) session.growTo(40_000);
  return { place, session: sessions[0] };
}
