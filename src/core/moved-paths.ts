import type { Edit } from './edits.ts';

/** A directory and the one that takes its place: absolute, with `/`. Paths of Windows are not known. */
export type Move = readonly [from: string, to: string];

/** The moves of the work trees in which sessions were captured, by what their manifests say, to this top. */
export function movesOf(sessions: readonly { directory: string | null; cwd: string | null }[], top: string): Move[] {
  const tops = new Set(sessions.flatMap((session) => topOf(session) ?? []));
  tops.delete(top);
  return [...tops].map((old): Move => [old, top]);
}

/** The absolute directory less what is relative to the work tree; null when it is unknown or no absolute path with `/`. */
function topOf({ directory, cwd }: { directory: string | null; cwd: string | null }): string | null {
  if (directory === null || cwd === null || !directory.startsWith('/')) return null;
  if (cwd === '.') return directory;
  return directory.endsWith(`/${cwd}`) ? directory.slice(0, -cwd.length - 1) : null;
}

/** What a name can go on with, besides a `.` or `?`, which may also end a sentence. */
const NAME = String.raw`[\p{L}\p{N}\p{M}_~+@%*-]`;
/**
 * Where an absolute path can begin: not within another path, a URL, a glob or an expansion (`x/a`, `https://a`, `**` + `/a`,
 * `$(pwd)/a`). After `file://`, an escape of JSON (`\n`) and a colour of a terminal it can.
 */
const BEGIN = String.raw`\/(?<=(?:^|[^\p{L}\p{N}\p{M}_~+@%*?.$)\]}/\\-]|file:\/\/|\\[nrt]|\x1b\[[\d;]{0,16}m)\/)`;
/** Where a name ends. A shell's prompt puts `$` behind it; a space that is escaped belongs to it. */
const END = String.raw`(?!${NAME}|[.?]+[\p{L}\p{N}_*]|\$[\p{L}\p{N}_({]|\\ )`;

/**
 * Finds the paths in a text that are one of the directories or lie below, and the edits that move them. A directory is known as it is,
 * in a URL and with a shell's backslashes, and its new name is written in the same way. Of directories that lie in each other the
 * innermost counts. Found are names as they stand there: what is relative, quoted in parts or made of variables is not.
 *
 * Time is linear in the text.
 */
export function pathFinder(moves: readonly Move[]): (text: string) => Edit[] {
  const spellings = new Map<string, string>();
  for (const spell of [(path: string) => path, inUrl, inShell]) {
    for (const [from, to] of moves) {
      const [old, fresh] = [spell(withoutEnd(from)), spell(withoutEnd(to))];
      if (old.length > 1 && !spellings.has(old)) spellings.set(old, fresh);
    }
  }
  if (spellings.size === 0) return () => [];
  const names = [...spellings.keys()].sort((a, b) => b.length - a.length).map((path) => literal(path.slice(1)));
  const pattern = new RegExp(String.raw`${BEGIN}(?:${names.join('|')})${END}`, 'gu');
  return (text) =>
    [...text.matchAll(pattern)].map(({ 0: found, index }) => {
      const to = spellings.get(found) as string;
      const url = text.endsWith('file://', index) && !found.includes('%');
      return { start: index, end: index + found.length, text: url ? inUrl(to) : to };
    });
}

function withoutEnd(path: string): string {
  return path.replace(/\/+$/, '');
}

function inUrl(path: string): string {
  return encodeURI(path).replaceAll('?', '%3F').replaceAll('#', '%23');
}

function inShell(path: string): string {
  return path.replace(/[ "'`$&()*;<>?[\\\]{|}!#~]/g, '\\$&');
}

function literal(text: string): string {
  return text.replace(/[\\^$.*+?()[\]{}|/]/g, '\\$&');
}
