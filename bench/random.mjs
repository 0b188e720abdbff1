import { randomFillSync } from 'node:crypto';

/**
 * Random numbers from a seed (mulberry32): every run of the bench works on the same sessions.
 * @param {number} seed
 */
export function seeded(seed) {
  let state = seed >>> 0;
  const next = () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4294967296;
  };
  const below = (limit) => Math.floor(next() * limit);
  const hex = (length) =>
    Array.from({ length: Math.ceil(length / 8) }, () => below(4294967296).toString(16).padStart(8, '0'))
      .join('')
      .slice(0, length);
  const bytes = (length) => {
    const words = new Uint32Array(Math.ceil(length / 4));
    for (let at = 0; at < words.length; at += 1) words[at] = below(4294967296);
    return Buffer.from(words.buffer, 0, length);
  };
  return {
    /** True once in 1/p times. */
    chance: (p) => next() < p,
    /** A whole number from 0 up to, not including, the limit. */
    below,
    between: (low, high) => low + below(high - low + 1),
    /** An item; the first ones far more often than the last, as words are in a text. */
    oftenFirst: (list) => list[Math.floor(list.length * next() ** 3)],
    pick: (list) => list[below(list.length)],
    /** A size of about `median`, seldom a multiple of it: the long tail that sizes of real results have. */
    longTailed: (median, longest) =>
      Math.min(longest, Math.round(median * Math.exp(1.1 * (next() + next() + next() - 1.5) * 1.6))),
    hex,
    uuid: () => `${hex(8)}-${hex(4)}-4${hex(3)}-a${hex(3)}-${hex(12)}`,
    base64: (length) =>
      bytes(Math.ceil((length * 3) / 4))
        .toString('base64')
        .slice(0, length),
    /** As in `toolu_01Ammtc8StHDsz3nxqWDoK4D`. */
    id: (length) =>
      bytes(length)
        .toString('base64')
        .replace(/[^A-Za-z0-9]/g, 'x')
        .slice(0, length),
  };
}

/** Bytes that are never the same twice: what makes one commit differ from the next. */
export function noise(length) {
  return randomFillSync(Buffer.alloc(length)).toString('hex');
}
