import { closeSync, constants, fstatSync, openSync, readSync } from 'node:fs';
import { crc32 } from 'node:zlib';
import { TranscriptGone } from '../errors.ts';

/** Bytes read at once. */
const BLOCK = 4 * 1024 * 1024;
/** Bytes before the known end that are compared to notice a file that was rewritten. */
const TAIL = 4096;
const NEWLINE = 10;

/** A file of a session, opened at its size of this moment: what is appended meanwhile is for the next capture. */
export interface OpenedFile {
  size: number;
  /** True when the file still begins with what was read before: it reaches `offset`, and what stands before it has that checksum. */
  continues(offset: number, tail: string): boolean;
  /** Checksum of the bytes just before `offset`. */
  tailAt(offset: number): string;
  /** The records from `offset` on, each with its newline; the last one may be a part without. */
  records(offset: number): Generator<Buffer>;
  close(): void;
}

/**
 * Opens a file of a session for reading.
 * @throws TranscriptGone when it is not there any more or is no regular file.
 */
export function openFile(path: string): OpenedFile {
  const fd = readable(() => openSync(path, constants.O_RDONLY | constants.O_NONBLOCK));
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
    *records(offset) {
      let parts: Buffer[] = [];
      for (let at = offset; at < size; ) {
        const block = read(at, Math.min(BLOCK, size - at));
        if (block.length === 0) throw new TranscriptGone('became shorter while it was read');
        at += block.length;
        let start = 0;
        for (let end = block.indexOf(NEWLINE); end >= 0; end = block.indexOf(NEWLINE, start)) {
          const piece = block.subarray(start, end + 1);
          yield parts.length === 0 ? piece : Buffer.concat([...parts, piece]);
          parts = [];
          start = end + 1;
        }
        if (start < block.length) parts.push(block.subarray(start));
      }
      if (parts.length > 0) yield Buffer.concat(parts);
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
  try {
    const fd = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
    try {
      return readAt(fd, 0, length).toString('utf8');
    } finally {
      closeSync(fd);
    }
  } catch {
    return '';
  }
}

/** The last bytes of a file, as text: enough for the last few records of nearly every session. Empty when it cannot be read. */
export function lastBytes(path: string, length = 256 * 1024): string {
  try {
    const fd = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
    try {
      return readAt(fd, Math.max(0, fstatSync(fd).size - length), length).toString('utf8');
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
