/** Words and shapes that stand where a secret would be. */
const PLACEHOLDER = new RegExp(
  [
    'example|placeholder|redacted|changeme|change[_-]me|replace[_-]?(?:me|with)|insert[_-]|enter[_-]|your[_-]|[_-]here|dummy|sample',
    'x{5}|\\*{3}|\\.{3}|<[^>]*>|\\$\\{|\\$\\(|\\{\\{|%s|(.)\\1{6}',
    '012345678|123456789|abcdefgh|deadbeef',
  ].join('|'),
  'i',
);
/** Fewer different characters than this in 16 or more, and nobody generated it. */
const MIN_DISTINCT = 7;

/** True for what documentation and tests put in the place of a secret, and for our own masks. */
export function isPlaceholder(text: string): boolean {
  return PLACEHOLDER.test(text) || (text.length >= 16 && new Set(text).size < MIN_DISTINCT);
}

/** Shannon entropy in bits per character. */
export function entropy(text: string): number {
  const counts = new Map<string, number>();
  for (const character of text) counts.set(character, (counts.get(character) ?? 0) + 1);
  let bits = 0;
  for (const count of counts.values()) bits -= (count / text.length) * Math.log2(count / text.length);
  return bits;
}
