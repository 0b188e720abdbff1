import { type Dirent, lstatSync, readdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { isSessionId, mayBeProjectOf, projectsDir } from './paths.ts';
import { firstBytes } from './reading.ts';

/** A transcript on disk, not opened yet. */
export interface TranscriptFile {
  session_id: string;
  path: string;
  /** Bytes. */
  size: number;
  /** Milliseconds since 1970. */
  mtime: number;
}

/** A file that belongs to a session: its transcript, its subagents, its overflowed tool results. */
export interface SessionFile {
  /** Name in the manifest, see ManifestFile. */
  name: string;
  path: string;
}

/**
 * The transcripts that may belong to these directories or to something below them, by the names of their project directories.
 * Whether they do, the records say. A projects directory that is missing or unreadable holds none.
 */
export function discoverTranscripts(config: string, tops: string[]): TranscriptFile[] {
  return entries(projectsDir(config))
    .filter((entry) => tops.some((top) => mayBeProjectOf(entry.name, top)))
    .flatMap((entry) => transcriptsIn(join(projectsDir(config), entry.name)));
}

/** The transcript of one session, wherever it lies; null when there is none. */
export function findTranscript(config: string, sessionId: string): TranscriptFile | null {
  if (!isSessionId(sessionId)) return null;
  for (const entry of entries(projectsDir(config))) {
    const found = transcript(join(projectsDir(config), entry.name), `${sessionId}.jsonl`);
    if (found !== null) return found;
  }
  return null;
}

/** By directory and session: the subagents that lie beside the transcripts. */
export type Subagents = Map<string, Map<string, SessionFile[]>>;

/**
 * The files of a session: the transcript first, the rest in order of name. Symbolic links are none, wherever they lead.
 * @param beside what was found in a directory is kept here, for its other sessions.
 */
export function sessionFiles({ session_id, path }: TranscriptFile, beside: Subagents = new Map()): SessionFile[] {
  const directory = dirname(path);
  const subagents = beside.get(directory) ?? olderSubagents(directory);
  beside.set(directory, subagents);
  const folder = path.slice(0, -'.jsonl'.length);
  const side = lstatSync(folder, { throwIfNoEntry: false })?.isDirectory() ? filesBelow(folder, 'side') : [];
  return [{ name: 'transcript.jsonl', path }, ...side, ...(subagents.get(session_id) ?? [])];
}

function transcriptsIn(directory: string): TranscriptFile[] {
  return entries(directory).flatMap((entry) => transcript(directory, entry.name) ?? []);
}

function transcript(directory: string, name: string): TranscriptFile | null {
  const session_id = name.slice(0, -'.jsonl'.length);
  if (!name.endsWith('.jsonl') || !isSessionId(session_id)) return null;
  const path = join(directory, name);
  try {
    const found = lstatSync(path);
    return found.isFile() ? { session_id, path, size: found.size, mtime: found.mtimeMs } : null;
  } catch {
    return null; // cleaned up between the listing and now
  }
}

function filesBelow(directory: string, name: string): SessionFile[] {
  return entries(directory)
    .sort((a, b) => (a.name < b.name ? -1 : 1))
    .flatMap((entry): SessionFile[] => {
      const path = join(directory, entry.name);
      if (entry.isDirectory()) return filesBelow(path, `${name}/${entry.name}`);
      return entry.isFile() ? [{ name: `${name}/${entry.name}`, path }] : [];
    });
}

/**
 * Before 2.1 subagents lay beside the transcript, as `agent-<hex>.jsonl`; their records name the session they belong to.
 * @returns the files of each session that one names.
 */
function olderSubagents(directory: string): Map<string, SessionFile[]> {
  const result = new Map<string, SessionFile[]>();
  const files = entries(directory)
    .filter((entry) => entry.isFile() && /^agent-[0-9a-f]+\.jsonl$/.test(entry.name))
    .map((entry) => ({ name: `project/${entry.name}`, path: join(directory, entry.name) }))
    .sort((a, b) => (a.name < b.name ? -1 : 1));
  for (const file of files) {
    const named = firstBytes(file.path).matchAll(/"sessionId":"([0-9a-fA-F-]{36})"/g);
    for (const id of new Set([...named].map(([, id]) => id as string))) result.set(id, [...(result.get(id) ?? []), file]);
  }
  return result;
}

function entries(directory: string): Dirent[] {
  try {
    return readdirSync(directory, { withFileTypes: true });
  } catch {
    return []; // missing or unreadable: nothing there that could be captured
  }
}
