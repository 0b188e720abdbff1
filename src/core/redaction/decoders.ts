import { type Decoder, ViewBuilder } from './view.ts';

const BACKSLASH = 0x5c;
const ESCAPE = 0x1b;
const NEWLINE = 0x0a;
const PERCENT = 0x25;
const SPACE = 0x20;
const TAB = 0x09;
/** The arrow after a line number in the output of the Read tool, U+2192 in UTF-8. */
const ARROW = [0xe2, 0x86, 0x92] as const;
const LINE_NUMBER_DIGITS = 7;
/** A title or link that a terminal sequence carries is not looked for further than this. */
const OSC_LIMIT = 4096;

const SHORT_ESCAPES = new Map(
  Object.entries({ n: NEWLINE, r: 0x0d, t: TAB, b: 0x08, f: 0x0c, '"': 0x22, "'": 0x27, '/': 0x2f, '\\': BACKSLASH }).map(
    ([letter, byte]) => [letter.charCodeAt(0), byte],
  ),
);

/**
 * Takes one level of JSON string escapes off a whole text, broken JSON and several levels of nesting included: what is
 * no escape stays. `\uXXXX` becomes UTF-8.
 */
export const jsonEscapes: Decoder = (bytes) => {
  let at = bytes.indexOf(BACKSLASH);
  if (at < 0) return null;
  const builder = new ViewBuilder(bytes);
  let copied = 0;
  let decoded = false;
  while (at >= 0) {
    const letter = bytes[at + 1] ?? 0;
    const short = SHORT_ESCAPES.get(letter);
    const unit = letter === 0x75 ? hex(bytes, at + 2, 4) : -1;
    if (short === undefined && unit < 0) {
      at = bytes.indexOf(BACKSLASH, at + 1);
      continue;
    }
    builder.copy(copied, at);
    if (short !== undefined) builder.put(short);
    else putUtf8(builder, unit);
    copied = at + (short === undefined ? 6 : 2);
    decoded = true;
    at = bytes[copied] === BACKSLASH ? copied : bytes.indexOf(BACKSLASH, copied);
  }
  builder.copy(copied, bytes.length);
  return decoded ? builder.view() : null;
};

/** Takes one level of `%xx` off. */
export const percentEscapes: Decoder = (bytes) => {
  let at = bytes.indexOf(PERCENT);
  if (at < 0) return null;
  const builder = new ViewBuilder(bytes);
  let copied = 0;
  for (; at >= 0; at = bytes.indexOf(PERCENT, Math.max(copied, at + 1))) {
    const byte = hex(bytes, at + 1, 2);
    if (byte < 0) continue;
    builder.copy(copied, at);
    builder.put(byte);
    copied = at + 3;
  }
  if (copied === 0) return null;
  builder.copy(copied, bytes.length);
  return builder.view();
};

/** Takes terminal sequences out (colours, cursor movements, titles, links), as ECMA-48 has them. */
export const terminalSequences: Decoder = (bytes) => {
  let at = bytes.indexOf(ESCAPE);
  if (at < 0) return null;
  const builder = new ViewBuilder(bytes);
  let copied = 0;
  for (; at >= 0; at = bytes.indexOf(ESCAPE, copied)) {
    builder.copy(copied, at);
    copied = endOfSequence(bytes, at);
  }
  builder.copy(copied, bytes.length);
  return builder.view();
};

/** Takes the line numbers out that the Read tool (`   12→`) and `cat -n` (`    12<tab>`) put before each line. */
export const lineNumbers: Decoder = (bytes) => {
  const builder = new ViewBuilder(bytes);
  let copied = 0;
  for (let line = 0; line >= 0 && line < bytes.length; ) {
    const end = endOfLineNumber(bytes, line);
    if (end > line) {
      builder.copy(copied, line);
      copied = end;
    }
    const newline = bytes.indexOf(NEWLINE, end);
    line = newline < 0 ? -1 : newline + 1;
  }
  if (copied === 0) return null;
  builder.copy(copied, bytes.length);
  return builder.view();
};

function hex(bytes: Buffer, at: number, digits: number): number {
  let value = 0;
  for (let i = at; i < at + digits; i++) {
    const byte = bytes[i] ?? 0;
    const letter = byte | 32;
    if (byte >= 48 && byte <= 57) value = value * 16 + byte - 48;
    else if (letter >= 97 && letter <= 102) value = value * 16 + letter - 87;
    else return -1;
  }
  return value;
}

/** Halves of surrogate pairs are written one by one: three bytes each, fewer than the six of their escape. */
function putUtf8(builder: ViewBuilder, unit: number): void {
  if (unit < 0x80) {
    builder.put(unit);
    return;
  }
  if (unit < 0x800) builder.put(0xc0 | (unit >> 6));
  else {
    builder.put(0xe0 | (unit >> 12));
    builder.put(0x80 | ((unit >> 6) & 63));
  }
  builder.put(0x80 | (unit & 63));
}

function endOfSequence(bytes: Buffer, at: number): number {
  const kind = bytes[at + 1];
  if (kind === 0x5b) {
    let end = at + 2;
    while (inRange(bytes[end], 0x20, 0x3f)) end++;
    return inRange(bytes[end], 0x40, 0x7e) ? end + 1 : end;
  }
  if (kind !== 0x5d) return inRange(kind, 0x20, 0x7e) ? at + 2 : at + 1;
  const limit = Math.min(bytes.length, at + OSC_LIMIT);
  for (let end = at + 2; end < limit; end++) {
    if (bytes[end] === 0x07) return end + 1;
    if (bytes[end] === ESCAPE) return bytes[end + 1] === BACKSLASH ? end + 2 : end;
  }
  return at + 2;
}

function endOfLineNumber(bytes: Buffer, line: number): number {
  let at = line;
  while (bytes[at] === SPACE) at++;
  const digits = at;
  while (at - digits < LINE_NUMBER_DIGITS && inRange(bytes[at], 0x30, 0x39)) at++;
  if (at === digits) return line;
  if (bytes[at] === TAB) return at + 1;
  return ARROW.every((byte, i) => bytes[at + i] === byte) ? at + ARROW.length : line;
}

function inRange(byte: number | undefined, low: number, high: number): boolean {
  return byte !== undefined && byte >= low && byte <= high;
}
