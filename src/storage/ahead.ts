/** Requests that are underway at the same time. */
export const AT_ONCE = 8;

/**
 * Does some work for each item, a few at a time, and gives the results in the order of the items. Begins no more than it has room for while
 * nobody takes what is done: memory is bounded.
 */
export async function* ahead<T, R>(
  items: Iterable<T>,
  work: (item: T) => Promise<R>,
  atOnce = AT_ONCE,
): AsyncGenerator<[item: T, result: R]> {
  const underway: [T, Promise<R>][] = [];
  for (const item of items) {
    const begun = work(item);
    begun.catch(() => {}); // told by whoever takes it
    underway.push([item, begun]);
    if (underway.length < atOnce) continue;
    const [first, result] = underway.shift() as [T, Promise<R>];
    yield [first, await result];
  }
  for (const [item, result] of underway) yield [item, await result];
}

/** Does some work for each item, a few at a time. */
export async function each<T>(items: Iterable<T>, work: (item: T) => Promise<unknown>): Promise<void> {
  const left = [...items].reverse();
  const worker = async () => {
    for (let item = left.pop(); item !== undefined; item = left.pop()) await work(item);
  };
  await Promise.all(Array.from({ length: AT_ONCE }, worker));
}
