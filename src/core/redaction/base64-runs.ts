/** A run of base64 characters (either alphabet) that is, at least in part, the encoding of text. */
export interface Base64Run {
  start: number;
  end: number;
}

/** Shortest run looked at: 18 bytes, shorter than any secret known here with what makes it known. */
const MIN_RUN = 24;
/** Base64 inside of base64 is looked into so often. */
export const MAX_BASE64_LEVELS = 2;
/** A line of wrapped base64 (64 or 76 characters) that goes on in the next line is at least this long. */
const MIN_WRAPPED_LINE = 60;
/** Groups of four that must all be text: noise passes once in 10^6. */
const GROUPS = 5;
const PHASES = [0, 1, 2, 3] as const;

const NUL = Buffer.alloc(1);
const NONE = 255;
const VALUE = new Uint8Array(256).fill(NONE);
for (const [value, character] of [...'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/'].entries()) {
  VALUE[character.charCodeAt(0)] = value;
}
VALUE['-'.charCodeAt(0)] = 62;
VALUE['_'.charCodeAt(0)] = 63;

const IS_TEXT = new Uint8Array(256);
for (let byte = 0x20; byte < 0x7f; byte++) IS_TEXT[byte] = 1;
for (const byte of [0x09, 0x0a, 0x0d, 0x1b]) IS_TEXT[byte] = 1;
/** The same with the bytes of UTF-8: noise goes on in them for a few bytes only. */
const IS_UTF8 = IS_TEXT.map((isText, byte) => (byte >= 0x80 ? 1 : isText));

/**
 * Calls `visit` with each run between `start` and `end` that encodes text. Images, signatures and identifiers are no
 * text. One step over 24 bytes where there is no run, so it costs little on prose.
 * @returns true as soon as `visit` does; false at the end.
 */
export function scanBase64(bytes: Buffer, start: number, end: number, visit: (run: Base64Run) => boolean): boolean {
  let left = start;
  for (let probe = start + MIN_RUN - 1; probe < end; probe = left + MIN_RUN - 1) {
    if (VALUE[bytes[probe] as number] === NONE) {
      left = probe + 1;
      continue;
    }
    let first = probe;
    while (first > left && VALUE[bytes[first - 1] as number] !== NONE) first--;
    let last = probe + 1;
    while (last < end && VALUE[bytes[last] as number] !== NONE) last++;
    left = last + 1;
    if (last - first < MIN_RUN) continue;
    if (textAt(bytes, first, first, last) < 0) continue;
    const whole = wrappedEnd(bytes, first, last, end);
    left = whole + 1;
    if (visit({ start: first, end: whole })) return true;
  }
  return false;
}

/** The stretches of text that a run encodes, a NUL after each; what lies between them is no text. */
export function decodeRun(bytes: Buffer, run: Base64Run): Buffer {
  const line = bytes.toString('latin1', run.start, run.end).replace(/\r?\n/g, '');
  const source = Buffer.from(line, 'latin1');
  const parts: Buffer[] = [];
  let from = 0;
  for (let at = textAt(source, 0, 0, source.length); at >= 0; at = textAt(source, 0, from, source.length)) {
    let start = at;
    while (start - 4 >= from && isText(source, start - 4, IS_UTF8)) start -= 4;
    from = at;
    while (from + 4 <= source.length && isText(source, from, IS_UTF8)) from += 4;
    if (source.length - from < 4) from = source.length;
    parts.push(Buffer.from(line.slice(start, from), 'base64'), NUL);
  }
  return Buffer.concat(parts);
}

/** Where, at or after `from`, so many groups of four are text, whatever the alignment; -1 when nowhere before `end`. */
function textAt(bytes: Buffer, start: number, from: number, end: number): number {
  for (let at = start + Math.ceil((from - start) / MIN_RUN) * MIN_RUN; at + GROUPS * 4 <= end; at += MIN_RUN) {
    for (const phase of PHASES) {
      if (at + phase + GROUPS * 4 <= end && areText(bytes, at + phase)) return at + phase;
    }
  }
  return -1;
}

function areText(bytes: Buffer, at: number): boolean {
  for (let group = at; group < at + GROUPS * 4; group += 4) if (!isText(bytes, group, IS_TEXT)) return false;
  return true;
}

function isText(bytes: Buffer, group: number, table: Uint8Array): boolean {
  const a = VALUE[bytes[group] as number] as number;
  const b = VALUE[bytes[group + 1] as number] as number;
  if (table[(a << 2) | (b >> 4)] === 0) return false;
  const c = VALUE[bytes[group + 2] as number] as number;
  if (table[((b & 15) << 4) | (c >> 2)] === 0) return false;
  return table[((c & 3) << 6) | (VALUE[bytes[group + 3] as number] as number)] !== 0;
}

/** The end of the last line, where a run goes on in the next lines. */
function wrappedEnd(bytes: Buffer, start: number, end: number, limit: number): number {
  let line = start;
  let last = end;
  while (last - line >= MIN_WRAPPED_LINE) {
    line = last + (bytes[last] === 0x0d ? 1 : 0);
    if (line >= limit || bytes[line] !== 0x0a) break;
    line++;
    let next = line;
    while (next < limit && VALUE[bytes[next] as number] !== NONE) next++;
    if (next === line) break;
    last = next;
  }
  return last;
}
