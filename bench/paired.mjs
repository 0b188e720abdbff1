/** The middle of some numbers. */
export function median(numbers) {
  const sorted = [...numbers].sort((a, b) => a - b);
  const middle = Math.floor(sorted.length / 2);
  return sorted.length % 2 === 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
}

/**
 * Runs each of some measures in turn, again and again (A B C A B C …), so that what slows the machine down for a while slows all of
 * them. The first rounds only warm up.
 * @param {{rounds: number, warmups?: number}} how
 * @param {Record<string, () => number | Promise<number>>} measures each gives milliseconds.
 * @returns {Promise<Record<string, number[]>>} the milliseconds of each, round by round.
 */
export async function inTurn({ rounds, warmups = 2 }, measures) {
  const samples = Object.fromEntries(Object.keys(measures).map((name) => [name, []]));
  for (let round = -warmups; round < rounds; round += 1) {
    for (const [name, measure] of Object.entries(measures)) {
      const took = await measure();
      if (round >= 0) samples[name].push(took);
    }
  }
  return samples;
}

/** The median of what one measure took more than another in the same round. */
export function medianDifference(more, less) {
  return median(more.map((took, round) => took - less[round]));
}
