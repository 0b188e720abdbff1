import { inTurn, median, medianDifference } from '../paired.mjs';
import { makeWorkplace, timed } from '../workplace.mjs';

const NEW = 100_000;

/** (b) 100 KB new in a session of 100 MB: all hooks of a commit, against an empty node process and a session of 1 MB. */
export async function growingSession() {
  const plain = makeWorkplace({ name: 'plain', hooks: 'none' });
  const [small, large] = [1e6, 100e6].map((size) => begin(size));
  for (const { place } of [small, large]) await place.commit();

  const background = [];
  const hooks =
    ({ place, session }, noted = []) =>
    async () => {
      session?.growTo(session.size + NEW);
      const { waited, all } = await place.commit();
      noted.push(all - waited);
      return waited;
    };
  const samples = await inTurn(
    { rounds: 15 },
    {
      node: () => timed(process.execPath, ['-e', ''], { env: plain.env }),
      plain: hooks({ place: plain }),
      small: hooks(small),
      large: hooks(large, background),
    },
  );
  const node = median(samples.node);
  const [little, much] = [medianDifference(samples.small, samples.plain), medianDifference(samples.large, samples.plain)];
  return [
    {
      id: 'b',
      what: '100 KB new in a session of 100 MB, all hooks of a commit / empty node process',
      target: 4,
      measured: much / node,
      note: `${much.toFixed(0)} ms against ${node.toFixed(0)} ms; post-commit goes on for ${median(background).toFixed(0)} ms in the background`,
    },
    {
      id: 'b',
      what: 'the same / the same in a session of 1 MB',
      target: 1.3,
      measured: much / little,
      note: `${little.toFixed(0)} ms at 1 MB`,
    },
  ];
}

function begin(size) {
  const place = makeWorkplace({ name: `session-${size}`, hooks: 'cc-context' });
  const session = place.session();
  session.growTo(size);
  return { place, session };
}
