import { closeSync, constants, fstatSync, openSync, readSync } from 'node:fs';
import { crc32 } from 'node:zlib';
import { TranscriptGone } from '../errors.ts';

/** Bytes read at once. */
const BLOCK = 4 * 1024 * 1024;
/** Bytes before the known end that are compared to notice a file that was rewritten. */
const TAIL = 4096;
const NEWLINE = 10;
/**
 * A longer line (bytes) is passed over: Claude Code sends no request of more than 32 MB, and cannot read back a line beyond V8's longest
 * string (512 MB).
 */
export const LONGEST_LINE = 128 * 1024 * 1024;
/** Nothing that belongs to a session is a symbolic link, and a FIFO must not hold up the commit. */
const FLAGS = constants.O_RDONLY | constants.O_NONBLOCK | constants.O_NOFOLLOW;

/** A line of a file. */
export interface Line {
  /** With its newline; the last one of a file may be a part without. Null for one that is too long, or not read to its end yet. */
  bytes: Buffer | null;
  /** Bytes of the file up to the end of the last line that was read to its end, this one included. */
  end: number;
}

/** A file of a session, opened at its size of this moment: what is appended meanwhile is for the next capture. */
export interface OpenedFile {
  size: number;
  /** True when the file still begins with what was read before: it reaches `offset`, and what stands before it has that checksum. */
  continues(offset: number, tail: string): boolean;
  /** Checksum of the bytes just before `offset`. */
  tailAt(offset: number): string;
  /** The lines from `offset` on. While one that is too long goes by there is one for each block: the caller may look at the clock. */
  lines(offset: number): Generator<Line>;
  close(): void;
}

/**
 * Opens a file of a session for reading.
 * @throws TranscriptGone when it is not there any more or is no regular file.
 */
export function openFile(path: string): OpenedFile {
  const fd = readable(() => openSync(path, FLAGS));
  const stat = fstatSync(fd);
  if (!stat.isFile()) {
    closeSync(fd);
    throw new TranscriptGone('is no file any more');
  }
  const size = stat.size;
  const read = (position: number, length: number) => readable(() => readAt(fd, position, length));
  const tailAt = (offset: number) => tailChecksum(read(Math.max(0, offset - TAIL), Math.min(TAIL, offset)));
  return {
    size,
    tailAt,
    continues: (offset, tail) => offset <= size && tailAt(offset) === tail,
    *lines(offset) {
      let parts: Buffer[] = [];
      let length = 0;
      let end = offset;
      for (let at = offset; at < size; ) {
        const block = read(at, Math.min(BLOCK, size - at));
        if (block.length === 0) throw new TranscriptGone('became shorter while it was read');
        for (let start = 0; start < block.length; ) {
          const newline = block.indexOf(NEWLINE, start);
          const piece = block.subarray(start, newline < 0 ? block.length : newline + 1);
          start += piece.length;
          length += piece.length;
          const tooLong = length > LONGEST_LINE;
          parts = tooLong ? [] : [...parts, piece];
          if (newline >= 0) {
            end += length;
            yield { bytes: tooLong ? null : parts.length === 1 ? piece : Buffer.concat(parts), end };
            parts = [];
            length = 0;
          } else if (tooLong) yield { bytes: null, end };
        }
        at += block.length;
      }
      if (parts.length > 0) yield { bytes: Buffer.concat(parts), end };
    },
    close: () => closeSync(fd),
  };
}

function readable<T>(work: () => T): T {
  try {
    return work();
  } catch (cause) {
    const { code } = cause as NodeJS.ErrnoException;
    throw new TranscriptGone(code === 'ENOENT' ? 'disappeared while it was read' : `cannot be read (${code})`, { cause });
  }
}

/** Checksum of the last bytes of a stretch of a file. */
export function tailChecksum(bytes: Buffer): string {
  return String(crc32(bytes.subarray(Math.max(0, bytes.length - TAIL))));
}

/** The first bytes of a file, as text; empty when it cannot be read. */
export function firstBytes(path: string, length = 64 * 1024): string {
  return stretch(path, (size) => [0, Math.min(size, length)]);
}

/** The last bytes of a file, as text: enough for the last few records of nearly every session. Empty when it cannot be read. */
export function lastBytes(path: string, length = 256 * 1024): string {
  return stretch(path, (size) => [Math.max(0, size - length), Math.min(size, length)]);
}

function stretch(path: string, of: (size: number) => [position: number, length: number]): string {
  try {
    const fd = openSync(path, FLAGS);
    try {
      const stat = fstatSync(fd);
      return stat.isFile() ? readAt(fd, ...of(stat.size)).toString('utf8') : '';
    } finally {
      closeSync(fd);
    }
  } catch {
    return '';
  }
}

function readAt(fd: number, position: number, length: number): Buffer {
  const buffer = Buffer.allocUnsafe(length);
  let filled = 0;
  while (filled < length) {
    const got = readSync(fd, buffer, filled, length - filled, position + filled);
    if (got === 0) break;
    filled += got;
  }
  return buffer.subarray(0, filled);
}
