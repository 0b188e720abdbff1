import { decodeRun, MAX_BASE64_LEVELS, scanBase64 } from './base64-runs.ts';
import type { Rule } from './rule.ts';
import { rules } from './rules.ts';
import { compileTriggers } from './triggers.ts';

/** A rule is tried on so many bytes before and after its trigger. */
const BEFORE = 128;
const AFTER = 640;
/** What goes on behind one of these is the same run, once decoded: a wrapped line, `\/`, `%2B`. */
const BACKSLASH = 0x5c;
const PERCENT = 0x25;

/**
 * Encodings under which a trigger would not be seen: a text that has them is decoded before it is called clean. Some
 * printable characters must follow, as in any secret; else the noise of decoded images would pass.
 */
const ENCODINGS: readonly Rule[] = [
  { name: 'json-escape', triggers: ['u00'], pattern: /(?<=\\)u00(?:2d|5f|[3-7][0-9a-f])(?<!u003[ce])/iy },
  { name: 'terminal-escape', triggers: ['u001b', 'u001B'], pattern: /(?<=\\)u001b/iy },
  {
    name: 'terminal',
    triggers: [...'0123456789mK'].map((final) => `\x1b[${final}`),
    pattern: /\x1b\[[0-9;]{0,20}[A-Za-z][\s\S]{0,12}?[\x20-\x7e]{6}/y,
  },
  { name: 'terminal-link', triggers: ['\x1b]8', '\x1b]0'], pattern: /\x1b\][08];[\x20-\x7e]{4}/y },
  { name: 'percent', triggers: percents(), pattern: /%[0-9A-Fa-f]{2}[\x21-\x7e]{7}/y },
];

const table = compileTriggers([...rules, ...ENCODINGS]);

/**
 * False when bytes[start, end) certainly holds nothing that the rules would find; true when it has to be decoded and
 * searched. Looks at raw bytes only, once; of what is encoded only base64 that is text is decoded.
 */
export function mayHoldSecret(bytes: Buffer, start = 0, end = bytes.length): boolean {
  return mayHold(bytes, start, end, 0);
}

function mayHold(bytes: Buffer, start: number, end: number, base64Level: number): boolean {
  if (table.scan(bytes, start, end, (position, rule) => mayMatch(bytes, start, end, position, rule))) return true;
  if (base64Level === MAX_BASE64_LEVELS) return false;
  return scanBase64(bytes, start, end, (run) => {
    if (bytes[run.end] === BACKSLASH || bytes[run.end] === PERCENT) return true;
    const decoded = decodeRun(bytes, run);
    return mayHold(decoded, 0, decoded.length, base64Level + 1);
  });
}

function mayMatch(bytes: Buffer, start: number, end: number, position: number, rule: Rule): boolean {
  const from = Math.max(start, position - BEFORE);
  const pattern = rule.hint ?? rule.pattern;
  pattern.lastIndex = position - from;
  return pattern.test(bytes.toString('latin1', from, Math.min(end, position + AFTER)));
}

/** `%xx` of letters, digits, `-`, `_`, `%` itself and the signs that rules look for. */
function percents(): string[] {
  const codes = ['25', '2d', '5f', '3a', '3d', '40'];
  for (let code = 0x30; code < 0x7b; code++) if (/[A-Za-z0-9]/.test(String.fromCharCode(code))) codes.push(code.toString(16));
  return [...new Set(codes.flatMap((code) => [`%${code}`, `%${code.toUpperCase()}`]))];
}
