import { closeSync, constants, fstatSync, openSync, readSync } from 'node:fs';
import { sep } from 'node:path';
import { firstBytes } from './reading.ts';

/** Enough for the last few records of nearly every session (bytes). */
const END = 256 * 1024;

/**
 * The directory a session was last working in, by its own records: the last `cwd` near the end of the transcript, else the first. A record's
 * own field is `"cwd":"…"`; inside quoted text the quotes are escaped, so that they do not match.
 * @returns null when no record near either end says.
 */
export function workingDirectory(transcript: string): string | null {
  const named = /"cwd":"((?:[^"\\]|\\.)*)"/g;
  const last = [...lastBytes(transcript).matchAll(named)].at(-1) ?? firstBytes(transcript).match(new RegExp(named.source));
  if (!last) return null;
  try {
    return JSON.parse(`"${last[1]}"`) as string;
  } catch {
    return null;
  }
}

/** The innermost of the work trees that holds a directory, null when none does. One work tree may lie inside another. */
export function innermost(directory: string, tops: string[]): string | null {
  const holding = tops.filter((top) => directory === top || directory.startsWith(top.endsWith(sep) ? top : top + sep));
  return holding.reduce<string | null>((best, top) => (best === null || top.length > best.length ? top : best), null);
}

function lastBytes(path: string): string {
  try {
    const fd = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
    try {
      const { size } = fstatSync(fd);
      const buffer = Buffer.alloc(Math.min(END, size));
      return buffer.toString('utf8', 0, readSync(fd, buffer, 0, buffer.length, size - buffer.length));
    } finally {
      closeSync(fd);
    }
  } catch {
    return '';
  }
}
