import { entropy, isPlaceholder } from './placeholders.ts';

/** Names of passwords: people choose those, so they may be short; anything else was generated. */
const PASSWORD_NAME = /^(?:passw|passphrase|_pass|pwd)/i;
const MIN_PASSWORD = 8;
const MIN_GENERATED = 12;

/** Noise that happens to be cut by capitals has shorter pieces than language. */
const MIN_MEAN_WORD = 4;

/** Not a value: a variable, a template, a path, an address, a regular expression. */
const REFERENCE = /^(?:[$<{%*@#(|!=:-]|[~.]?\/|[A-Za-z]:[\\/]|https?:|[A-Za-z_]+:\/\/)|\$\{|\{\{|=>|\[(?:A-Z|a-z|0-9|\^)|\\[dws]/;
/** What is not quoted may be code: a call, an element, a member. */
const CODE = /^[A-Za-z_$][\w$.?:]*[([]|\?\.|\(\)|^[A-Za-z_$][\w$]*(?:\.[A-Za-z_$][\w$]*)+$/;
/** Dates, versions, sizes. */
const FIGURES = /^v?[0-9]+(?:[-.:/TZ][0-9]+)*[A-Za-z]{0,3}$/;

/**
 * True when the value that a name like `password` or `api_key` is given is likely a real one: not a placeholder, not
 * code, not words.
 */
export function looksLikeSecret(value: string, match: RegExpExecArray): boolean {
  const text = value.replace(/[)\]}.:!?*]+$/, '');
  const isPassword = PASSWORD_NAME.test(match[0]);
  if (text.length < (isPassword ? MIN_PASSWORD : MIN_GENERATED)) return false;
  if (!isPrintable(text)) return false;
  const isQuoted = match[1] !== undefined;
  if (isPlaceholder(text) || REFERENCE.test(text) || FIGURES.test(text) || (!isQuoted && CODE.test(text))) return false;
  if (!/[0-9]/.test(text)) return isPassword ? hasSigns(text) : text.length >= 20 && isMixed(text);
  if (!/[A-Za-z]/.test(text)) return false;
  return !isWords(text) && entropy(text) >= (text.length >= 16 ? 3 : 2.5);
}

/** Mostly printable ASCII: else it is a stretch of binary data. */
function isPrintable(text: string): boolean {
  const ascii = text.match(/[\x20-\x7e]/g)?.length ?? 0;
  return ascii * 4 >= text.length * 3;
}

/** Letters of both cases and a sign that does not join words. */
function hasSigns(text: string): boolean {
  return /[a-z]/.test(text) && /[A-Z]/.test(text) && /[!#$%^&*+=?@~]/.test(text);
}

/** Both cases without the rhythm of camelCase: capitals in a row inside, or words of one or two letters. */
function isMixed(text: string): boolean {
  if (!/^[A-Za-z0-9+/=_-]+$/.test(text)) return false;
  const changes = text.match(/[a-z][A-Z]|[A-Z][a-z]/g)?.length ?? 0;
  return changes >= text.length / 4;
}

/** Words and small numbers joined by signs or capitals: `prod-db-1`, `getToken2`, `sha256_digest`. */
function isWords(text: string): boolean {
  if (/[^A-Za-z0-9_./:@-]/.test(text)) return false;
  const parts = text.split(/[-_./:@]+|(?<=[a-z])(?=[A-Z])/).filter((part) => part !== '');
  const letters = parts.filter((part) => /[A-Za-z]/.test(part));
  return parts.every(isWord) && letters.join('').length >= letters.length * MIN_MEAN_WORD;
}

function isWord(part: string): boolean {
  return (
    /^[0-9]{1,4}$/.test(part) ||
    (/^(?:[A-Z]?[a-z]+|[A-Z]+)[0-9]{0,3}$/.test(part) && (part.length <= 4 || /[aeiouy]/i.test(part)))
  );
}
