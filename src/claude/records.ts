/** A line of a transcript. The format is Claude Code's own and changes between its releases: no field is taken for granted. */
export interface TranscriptRecord {
  readonly [field: string]: unknown;
}

/** V8 cannot make strings of more than 512 MB; no message of a person or a model comes near this (bytes). */
const LONGEST = 256 * 1024 * 1024;
/** `JSON.stringify` is recursive: some 5,000 levels overflow the stack. Tool inputs have a dozen. */
const DEEPEST = 500;
const NEWLINE = 10;

/** A line that was read: null when it is no JSON object, or one that could not be handled safely. */
export type ParsedLine = TranscriptRecord | null;

/** Reads the records of a transcript that comes in pieces, which may be cut anywhere; blank lines are passed over. */
export class RecordReader {
  #rest: Buffer[] = [];

  /** The lines that end in this piece. */
  *push(piece: Buffer): Generator<ParsedLine> {
    let start = 0;
    for (let end = piece.indexOf(NEWLINE); end >= 0; end = piece.indexOf(NEWLINE, start)) {
      yield* this.#read(piece.subarray(start, end));
      start = end + 1;
    }
    if (start < piece.length) this.#rest.push(piece.subarray(start));
  }

  /** The last line, when it has no end. */
  *end(): Generator<ParsedLine> {
    if (this.#rest.length > 0) yield* this.#read(Buffer.alloc(0));
  }

  *#read(piece: Buffer): Generator<ParsedLine> {
    const record = parseLine(this.#rest.length === 0 ? piece : Buffer.concat([...this.#rest, piece]));
    this.#rest = [];
    if (record !== undefined) yield record;
  }
}

/** All records of a transcript, and how many of its lines are none. */
export function readRecords(bytes: Buffer | Iterable<Buffer>): { records: TranscriptRecord[]; bad_lines: number } {
  const records: TranscriptRecord[] = [];
  let bad_lines = 0;
  const reader = new RecordReader();
  const take = (lines: Iterable<ParsedLine>) => {
    for (const record of lines) {
      if (record === null) bad_lines += 1;
      else records.push(record);
    }
  };
  for (const piece of Buffer.isBuffer(bytes) ? [bytes] : bytes) take(reader.push(piece));
  take(reader.end());
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

function isDeeper(value: object, levels: number): boolean {
  if (levels === 0) return true;
  return Object.values(value).some((inner) => typeof inner === 'object' && inner !== null && isDeeper(inner, levels - 1));
}
