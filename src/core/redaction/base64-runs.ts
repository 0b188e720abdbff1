/** A run of base64 characters (either alphabet) that is, at least in part, the encoding of text. */
export interface Base64Run {
  start: number;
  end: number;
  /** Characters before the first group of four: 0 where nothing else is glued to the front. */
  phase: number;
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
    const phase = textPhase(bytes, first, last);
    if (phase < 0) continue;
    const whole = wrappedEnd(bytes, first, last, end);
    left = whole + 1;
    if (visit({ start: first, end: whole, phase })) return true;
  }
  return false;
}

/** The bytes that a run encodes. */
export function decodeRun(bytes: Buffer, run: Base64Run): Buffer {
  const text = bytes.toString('latin1', run.start + run.phase, run.end);
  return Buffer.from(text, 'base64');
}

/** The alignment in which some part of the run is text; -1 when none is. */
function textPhase(bytes: Buffer, start: number, end: number): number {
  for (let at = start; at + GROUPS * 4 <= end; at += MIN_RUN) {
    for (const phase of PHASES) {
      if (at + phase + GROUPS * 4 <= end && isText(bytes, at + phase)) return (at + phase - start) % 4;
    }
  }
  return -1;
}

function isText(bytes: Buffer, at: number): boolean {
  for (let group = at; group < at + GROUPS * 4; group += 4) {
    const a = VALUE[bytes[group] as number] as number;
    const b = VALUE[bytes[group + 1] as number] as number;
    if (IS_TEXT[(a << 2) | (b >> 4)] === 0) return false;
    const c = VALUE[bytes[group + 2] as number] as number;
    if (IS_TEXT[((b & 15) << 4) | (c >> 2)] === 0) return false;
    if (IS_TEXT[((c & 3) << 6) | (VALUE[bytes[group + 3] as number] as number)] === 0) return false;
  }
  return true;
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
