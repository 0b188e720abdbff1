import { crc32 } from 'node:zlib';

/** Sizes in bytes. A cut is looked for after MIN and forced at MAX; a single record longer than PIECE is cut inside. */
const MIN = 512 * 1024;
const MAX = 2 * 1024 * 1024;
const PIECE = 4 * 1024 * 1024;
/** One record in 64 ends a chunk: about 200 KiB after MIN for records of the usual 3 KiB. */
const CUT_MASK = 63;

/**
 * Cuts a stream of records into chunks at record boundaries. Where it cuts depends on the records alone (a record whose
 * checksum has six zero bits), so two files that share a stretch share its chunks, wherever the stretch begins.
 */
export class Chunker {
  #records: Buffer[] = [];
  #size = 0;

  /** Adds a record (with its newline); gives the chunks that are complete, usually none or one. */
  push(record: Buffer): Buffer[] {
    if (record.length > PIECE) return [...this.flush(), ...pieces(record)];
    this.#records.push(record);
    this.#size += record.length;
    const ends = this.#size >= MAX || (this.#size >= MIN && (crc32(record) & CUT_MASK) === 0);
    return ends ? this.flush() : [];
  }

  /** Ends the open chunk, if there is one. */
  flush(): Buffer[] {
    if (this.#size === 0) return [];
    const chunk = this.#records.length === 1 ? (this.#records[0] as Buffer) : Buffer.concat(this.#records, this.#size);
    this.#records = [];
    this.#size = 0;
    return [chunk];
  }
}

function pieces(record: Buffer): Buffer[] {
  const result: Buffer[] = [];
  for (let at = 0; at < record.length; at += PIECE) result.push(record.subarray(at, at + PIECE));
  return result;
}
