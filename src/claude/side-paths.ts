import type { Edit } from '../core/edits.ts';

/** Where the side files of captured sessions were put. */
export interface SideFiles {
  /** The sessions whose side files were captured. */
  sessionIds: Iterable<string>;
  /** The absolute folder they are in now: `<project directory>/<new session id>`. */
  folder: string;
  /** Their paths below it: `tool-results/b1.txt`, `subagents/agent-a1.jsonl`. */
  paths: Iterable<string>;
}

/**
 * The parts of the paths in which Claude Code names side files (2.1.329): `<configuration>/projects/<project>/<session>/…`, and
 * `<temporary>/<project>/<session>/tasks/<agent>.output`, a link to the transcript of a subagent that runs in the background.
 */
const SESSION_FOLDER =
  /\/[A-Za-z0-9-]+\/([0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12})(?![A-Za-z0-9_-]|\.\w)(?=((?:\/[A-Za-z0-9_-][A-Za-z0-9._-]{0,254}){0,8}))/gi;
const TASK = /^\/tasks\/([A-Za-z0-9_-]+)\.output\b/;
/** Longer than any path (Linux: 4,096 bytes): how far back its beginning is looked for. */
const LONGEST = 4096;

/**
 * Finds the paths of side files in a text, wherever the author's configuration was, and the edits that lead them to the new folder. A
 * session is known by its id. One that is not among them counts too where a file of that name came along: the texts of a copied
 * session still name the session it was copied from.
 *
 * Time is linear in the text.
 */
export function sidePathFinder({ sessionIds, folder, paths }: SideFiles): (text: string) => Edit[] {
  const ids = new Set([...sessionIds].map((id) => id.toLowerCase()));
  const known = new Set(paths);
  /** What takes the place of the path up to the session's folder, and how much of the rest (characters) is replaced with it. */
  const targetOf = (id: string, rest: string, inProjects: boolean): { text: string; length: number } | null => {
    const task = TASK.exec(rest);
    const transcript = `subagents/agent-${task?.[1]}.jsonl`;
    if (inProjects && (ids.has(id.toLowerCase()) || known.has(rest.slice(1).replace(/\.+$/, ''))))
      return { text: folder, length: 0 };
    return task !== null && known.has(transcript) ? { text: `${folder}/${transcript}`, length: task[0].length } : null;
  };
  return (text) => {
    const edits: Edit[] = [];
    let free = 0;
    for (const { index, 0: found, 1: id = '', 2: rest = '' } of text.matchAll(SESSION_FOLDER)) {
      const target = targetOf(id, rest, text.endsWith('/projects', index));
      if (target === null) continue;
      const start = beginningOf(text, index, Math.max(free, index - LONGEST));
      free = index + found.length + target.length;
      if (start !== null) edits.push({ start, end: free, text: target.text });
    }
    return edits;
  };
}

/**
 * Where the path that goes on at `at` begins: at `/` or `~/` after something that is no part of a name. A path with a space in it
 * is known where it stands behind a quote, a tag, a colon or nothing: there Claude Code and its tools write one.
 * @returns null when the path is relative, or begins before `from`.
 */
function beginningOf(text: string, at: number, from: number): number | null {
  const before = text.slice(from, at + 1);
  const line = before.slice(Math.max(...['\n', '"', "'", '`', '<', '>'].map((end) => before.lastIndexOf(end) + 1)));
  const word = /(?:^|file:\/\/|\\[nrt]|[\s=:,;|&([{])(~?\/(?:[^\s=:,;|&([{]|\\ )*)$/.exec(line);
  const path = word?.[1] ?? /^(?:.*: ?)?(~?\/.*)$/.exec(line)?.[1];
  return path === undefined ? null : at + 1 - path.length;
}
