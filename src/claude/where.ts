import { normalize, sep } from 'node:path';
import { firstBytes, lastBytes } from './reading.ts';

/** Nearly always this many bytes say it; there may be thousands of transcripts to ask. */
const NEAR = 16 * 1024;

/**
 * The directory a session was last working in, by its own records: the last `cwd` near the end of the transcript, else the first. A record's
 * own field is `"cwd":"…"`; inside quoted text the quotes are escaped, so that they do not match.
 * @returns null when no record near either end says.
 */
export function workingDirectory(transcript: string): string | null {
  const named = /"cwd"\s*:\s*"((?:[^"\\]|\\.)*)"/g;
  const lastIn = (text: string) => [...text.matchAll(named)].at(-1);
  const last =
    lastIn(lastBytes(transcript, NEAR)) ??
    lastIn(lastBytes(transcript)) ??
    firstBytes(transcript).match(new RegExp(named.source));
  if (!last) return null;
  try {
    return JSON.parse(`"${last[1]}"`) as string;
  } catch {
    return null;
  }
}

/** The innermost of the work trees that holds a directory, null when none does. One work tree may lie inside another. */
export function innermost(directory: string, tops: string[]): string | null {
  const path = normalize(directory);
  const holding = tops.filter((top) => path === top || path.startsWith(top.endsWith(sep) ? top : top + sep));
  return holding.reduce<string | null>((best, top) => (best === null || top.length > best.length ? top : best), null);
}
