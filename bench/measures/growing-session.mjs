import { inTurn, median, medianDifference } from '../paired.mjs';
import { makeWorkplace, timed } from '../workplace.mjs';

const NEW = 100_000;

/** (b) 100 KB new in a session of 100 MB: all hooks of a commit, against an empty node process and a session of 1 MB. */
export async function growingSession() {
  const plain = makeWorkplace({ name: 'plain', hooks: 'none' });
  const [small, large] = [1e6, 100e6].map((size) => begin(size));
  for (const { place } of [small, large]) await place.commit();

  const waited = { plain: [], small: [], large: [] };
  const all =
    (name, { place, session }) =>
    async () => {
      session?.growTo(session.size + NEW);
      const took = await place.commit();
      waited[name].push(took.waited);
      return took.all;
    };
  const samples = await inTurn(
    { rounds: 15 },
    {
      node: () => timed(process.execPath, ['-e', ''], { env: plain.env }),
      plain: all('plain', { place: plain }),
      small: all('small', small),
      large: all('large', large),
    },
  );
  const node = median(samples.node);
  const hooks = { small: medianDifference(samples.small, samples.plain), large: medianDifference(samples.large, samples.plain) };
  const wait = medianDifference(waited.large, waited.plain);
  return [
    {
      id: 'b',
      what: '100 KB new in a session of 100 MB, all hooks, background included / empty node process',
      target: 4,
      measured: hooks.large / node,
      note: `${hooks.large.toFixed(0)} ms, ${wait.toFixed(0)} ms of them waited for; empty node ${node.toFixed(0)} ms`,
    },
    {
      id: 'b',
      what: 'the same / the same in a session of 1 MB',
      target: 1.3,
      measured: hooks.large / hooks.small,
      note: `${hooks.small.toFixed(0)} ms at 1 MB`,
    },
  ];
}

function begin(size) {
  const place = makeWorkplace({ name: `session-${size}`, hooks: 'cc-context' });
  const session = place.session();
  session.growTo(size);
  return { place, session };
}
