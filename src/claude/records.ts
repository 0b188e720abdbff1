/** A line of a transcript. The format is Claude Code's own and changes between its releases: no field is taken for granted. */
export interface TranscriptRecord {
  readonly [field: string]: unknown;
}

/** A line that was read: `record` is null when the line is no JSON object, or one that could not be handled safely. */
export interface ParsedLine {
  record: TranscriptRecord | null;
  /** Number of the line in the file, from 1. */
  line: number;
}

/** V8 cannot make strings of more than 512 MB; no message of a person or a model comes near this (bytes). */
const LONGEST = 256 * 1024 * 1024;
/** `JSON.stringify` is recursive: some 5,000 levels overflow the stack. Tool inputs have a dozen. */
const DEEPEST = 500;
const NEWLINE = 10;

/** Reads the lines of a transcript, given whole or in pieces that may be cut anywhere; blank lines are passed over. */
export function* parseRecords(bytes: Buffer | Iterable<Buffer>): Generator<ParsedLine> {
  let line = 0;
  for (const piece of splitLines(Buffer.isBuffer(bytes) ? [bytes] : bytes)) {
    line += 1;
    const record = parseLine(piece);
    if (record !== undefined) yield { record, line };
  }
}

/** All records of a transcript, and how many of its lines are none. */
export function readRecords(bytes: Buffer | Iterable<Buffer>): { records: TranscriptRecord[]; bad_lines: number } {
  const records: TranscriptRecord[] = [];
  let bad_lines = 0;
  for (const { record } of parseRecords(bytes)) {
    if (record === null) bad_lines += 1;
    else records.push(record);
  }
  return { records, bad_lines };
}

/** The value as a record, or null when it is no JSON object. */
export function asRecord(value: unknown): TranscriptRecord | null {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as TranscriptRecord) : null;
}

/** The value when it is a string, null otherwise. */
export function asString(value: unknown): string | null {
  return typeof value === 'string' ? value : null;
}

function parseLine(bytes: Buffer): TranscriptRecord | null | undefined {
  if (bytes.length > LONGEST) return null;
  const text = bytes.toString('utf8');
  if (text.trim() === '') return undefined;
  try {
    const record = asRecord(JSON.parse(text));
    return record !== null && isDeeper(record, DEEPEST) ? null : record;
  } catch {
    return null;
  }
}

function* splitLines(pieces: Iterable<Buffer>): Generator<Buffer> {
  let parts: Buffer[] = [];
  for (const piece of pieces) {
    let start = 0;
    for (let end = piece.indexOf(NEWLINE); end >= 0; end = piece.indexOf(NEWLINE, start)) {
      const rest = piece.subarray(start, end);
      yield parts.length === 0 ? rest : Buffer.concat([...parts, rest]);
      parts = [];
      start = end + 1;
    }
    if (start < piece.length) parts.push(piece.subarray(start));
  }
  if (parts.length > 0) yield Buffer.concat(parts);
}

function isDeeper(value: object, levels: number): boolean {
  if (levels === 0) return true;
  return Object.values(value).some((inner) => typeof inner === 'object' && inner !== null && isDeeper(inner, levels - 1));
}
