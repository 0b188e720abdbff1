import type { Finding } from './rule.ts';

const QUOTE = 0x22;
const BACKSLASH = 0x5c;

/** What stands in the place of a secret. It needs no escaping in JSON, a shell word, a URL or a terminal. */
export function maskOf(rule: string): Buffer {
  return Buffer.from(`[REDACTED:${rule}]`, 'latin1');
}

/** The bytes with each finding's span replaced by its mask; findings in ascending order, none overlapping. */
export function splice(bytes: Buffer, findings: readonly Finding[]): Buffer {
  const parts: Buffer[] = [];
  let copied = 0;
  for (const { rule, start, end } of findings) {
    parts.push(bytes.subarray(copied, start), maskOf(rule));
    copied = end;
  }
  parts.push(bytes.subarray(copied));
  return Buffer.concat(parts);
}

/** The parts of the findings that lie inside of string literals, so that the JSON text around them stays as it is. */
export function clipToLiterals(json: Buffer, findings: readonly Finding[]): Finding[] {
  const clipped: Finding[] = [];
  let next = 0;
  for (let open = json.indexOf(QUOTE); open >= 0 && next < findings.length; ) {
    const close = closingQuote(json, open);
    while (next < findings.length && (findings[next] as Finding).end <= open) next++;
    for (let i = next; i < findings.length; i++) {
      const { rule, start, end } = findings[i] as Finding;
      if (start >= close) break;
      const inside = { rule, start: Math.max(start, open + 1), end: Math.min(end, close) };
      if (inside.start < inside.end) clipped.push(inside);
    }
    open = json.indexOf(QUOTE, close + 1);
  }
  return clipped;
}

function closingQuote(json: Buffer, open: number): number {
  for (let at = json.indexOf(QUOTE, open + 1); at >= 0; at = json.indexOf(QUOTE, at + 1)) {
    let backslashes = 0;
    while (json[at - 1 - backslashes] === BACKSLASH) backslashes++;
    if (backslashes % 2 === 0) return at;
  }
  return json.length;
}
