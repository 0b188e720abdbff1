/** One kind of secret: where to look for it, and how it is told from what only resembles it. */
export interface Rule {
  /** Stands in the mask, `[REDACTED:<name>]`, and in the counts. */
  name: string;
  /** Literals (ASCII, at least 3 characters); one of them is in every text that the rule can match. Lower case with `anyCase`. */
  triggers: readonly string[];
  /** Triggers match whatever their case. */
  anyCase?: boolean;
  /** Sticky. Tried where a trigger begins; the secret is the first group that took part, or else the whole match. */
  pattern: RegExp;
  /** Sticky. A necessary condition that also holds while the text is still escaped; `pattern` itself unless given. */
  hint?: RegExp;
  /** Sticky. Lengthens a secret that is longer than `pattern` allows, to its end. */
  tail?: RegExp;
  /** Tells a secret from a placeholder or from code. */
  verify?: (secret: string, match: RegExpExecArray) => boolean;
}

/** A place in a text where a secret stands: [start, end) in bytes. */
export interface Finding {
  rule: string;
  start: number;
  end: number;
}

/** What may stand right before a secret although it ends in a letter or digit: `\n`, `\u001b`, `%20`, a colour sequence. */
const ESCAPE_BEFORE = String.raw`(?<=\\[nrtbfv]|\\u[0-9A-Fa-f]{4}|%[0-9A-Fa-f]{2}|\[[0-9;]{0,20}[mK])`;

/** Left edge of a token made of letters, digits and underscores. */
export const EDGE = `(?:(?<![A-Za-z0-9_])|${ESCAPE_BEFORE})`;
/** Left edge of a token that may also hold hyphens: so that it is tried once in a run of such characters, not once a hyphen. */
export const DASH_EDGE = `(?:(?<![A-Za-z0-9_-])|${ESCAPE_BEFORE})`;

/** The secret that a match of a rule stands for: [start, end). */
export function secretOf(match: RegExpExecArray): { text: string; start: number } {
  for (let group = 1; group < match.length; group++) {
    const text = match[group];
    const at = match.indices?.[group];
    if (text !== undefined && at) return { text, start: at[0] };
  }
  return { text: match[0], start: match.index };
}
