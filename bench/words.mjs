/** The words of the made sessions: of programs, of people who talk about programs, and enough made-up names beside them. */
const COMMON = `the a to and of is in it for that with as on be this are not from by at or an we can will if has was so all
 but which when then there now only also into its no each one have use used using should would after before same more other
 first new does next let me see look check make sure add added fix fixed change changed remove update work works need needs
 file files line lines code test tests case cases function method class type types value values name names list string number
 object array error errors message path directory request response result results option options config default run running
 build command output input data state key user token session server client call called return returns set get read write
 open close start end time size length index count map item items order field fields table column row query cache store
 page button text form link style view model route handler service module package version branch commit merge review issue
 because still already instead without where while through between both correct wrong missing empty current previous whole
 part simple better since about however implement implementation refactor logic check pass passing fail fails failing expected
 actual assert mock stub suite coverage deploy release note readme doc docs comment example usage import export public private
 auth login header body cookie http json yaml html css sql null true false undefined async await promise`;

const SYLLABLES =
  'ba co di fe ga ho ji ka lo mu ne po qua re si ta ul ver win xen ya zo ar el in or un st tr pl gr sh th ck nt rd'.split(' ');

/** @param {ReturnType<typeof import('./random.mjs').seeded>} random */
export function vocabulary(random) {
  const words = COMMON.split(/\s+/).filter(Boolean);
  const made = Array.from({ length: 2500 }, () =>
    Array.from({ length: random.between(2, 4) }, () => random.pick(SYLLABLES)).join(''),
  );
  const capital = (word) => word[0].toUpperCase() + word.slice(1);
  const terms = words.filter((word) => word.length > 3);
  const names = Array.from({ length: 3000 }, () => {
    const parts = Array.from({ length: random.between(1, 3) }, () =>
      random.chance(0.7) ? random.pick(terms) : random.pick(made),
    );
    return parts[0] + parts.slice(1).map(capital).join('');
  });
  return { words: [...words, ...made], names, capital };
}
