/**
 * Times for records in an order that is given: each at least a millisecond after the one before it and none after `now`, as
 * close to the wanted ones as that allows. All in milliseconds since 1970; one that is NaN goes with its neighbour.
 */
export function increasingTimes(wanted: number[], now: number): number[] {
  const known = wanted.findIndex((time) => !Number.isNaN(time));
  let previous = known === -1 ? now - wanted.length : (wanted[known] as number) - known - 1;
  const rising = wanted.map((time) => {
    previous = Number.isNaN(time) ? previous + 1 : Math.max(time, previous + 1);
    return previous;
  });
  let latest = now + 1;
  const times = rising.toReversed().map((time) => {
    latest = Math.min(time, latest - 1);
    return latest;
  });
  return times.reverse();
}
