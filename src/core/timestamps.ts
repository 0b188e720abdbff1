/**
 * Times for records in an order that is given: each at least a millisecond after the one before it and none after `now`, as
 * close to the wanted ones as that allows. All in milliseconds since 1970; a wanted time of NaN follows the one before it.
 */
export function increasingTimes(wanted: number[], now: number): number[] {
  const times: number[] = [];
  for (const time of wanted) {
    const earliest = (times.at(-1) ?? Number.NEGATIVE_INFINITY) + 1;
    times.push(time > earliest || Number.isFinite(earliest) ? Math.max(Number.isNaN(time) ? earliest : time, earliest) : now);
  }
  let latest = now;
  for (let index = times.length - 1; index >= 0; index -= 1) {
    times[index] = Math.min(times[index] as number, latest);
    latest = (times[index] as number) - 1;
  }
  return times;
}
