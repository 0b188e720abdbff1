import { createHash } from 'node:crypto';
import { globSync, readFileSync } from 'node:fs';
import { basename, dirname } from 'node:path';
import { fileURLToPath } from 'node:url';
import { readRecords } from '../../src/claude/records.ts';
import { type LivePrompt, type LiveResult, livePrompts, liveResults, liveTime } from './corpus-live.ts';

/** Real transcripts, which may not be copied into the project; where they are missing there is no corpus. */
const CORPUS = fileURLToPath(new URL('../../../shared/transcripts/', import.meta.url));

/** A real session, as far as a test needs to know what is in it. */
export interface CorpusSession {
  /** Path in the corpus, without the ending. */
  name: string;
  /** Folder in the corpus: sessions of one project. */
  project: string;
  /** Absolute path. */
  path: string;
  /** Bytes. */
  length: number;
  /** What the live branch consists of, from the raw records, oldest first. */
  prompts: LivePrompt[];
  results: LiveResult[];
  /** Times of the first prompt and of the last live record, in milliseconds since 1970. */
  from: number;
  to: number;
}

/** A session as part of a case: under an id of its own, its clock shifted. */
export interface Member {
  session_id: string;
  session: CorpusSession;
  /** Milliseconds that are added to every time of the session. */
  shift: number;
}

/** Sessions that one commit captures and one restore brings back as one. */
export interface CorpusCase {
  name: string;
  members: Member[];
}

/** Time between the first prompts of sessions whose clocks were shifted: less than any turn takes. */
const APART = 500;

/** Every transcript of the corpus in which somebody wrote a prompt, in the order of their paths; those of subagents are none. */
export function corpusSessions(): CorpusSession[] {
  const paths = globSync('**/*.jsonl', { cwd: CORPUS }).filter((path) => !/\/(subagents|tool-results|workflows)\//.test(path));
  return paths.sort().flatMap((path): CorpusSession[] => {
    const bytes = readFileSync(CORPUS + path);
    const { records } = readRecords(bytes);
    const prompts = livePrompts(records);
    const [first] = prompts;
    if (first === undefined) return [];
    const place = { name: path.slice(0, -'.jsonl'.length), project: dirname(path), path: CORPUS + path, length: bytes.length };
    return [{ ...place, prompts, results: liveResults(records), from: first.time, to: liveTime(records) }];
  });
}

/** Every session by itself. */
export function alone(sessions: CorpusSession[]): CorpusCase[] {
  return sessions.map((session) => caseOf([session], [0]));
}

/**
 * Every two sessions whose times really overlap, as they are; and every session with the one after it (the next of its project,
 * mostly), their clocks shifted where they do not overlap. `all`: every two sessions of one project, shifted likewise.
 */
export function pairs(sessions: CorpusSession[], { all }: { all: boolean }): CorpusCase[] {
  return sessions.flatMap((one, at) =>
    sessions.slice(at + 1).flatMap((other, after): CorpusCase[] => {
      if (overlap(one, other)) return [caseOf([one, other], [0, 0])];
      return after === 0 || (all && one.project === other.project) ? [shifted([one, other])] : [];
    }),
  );
}

/** So many sets of three sessions of different projects, mostly, their clocks shifted so that they overlap. */
export function triples(sessions: CorpusSession[], count: number): CorpusCase[] {
  return sessions
    .slice(0, count)
    .map((session, at) => shifted([session, ...[7, 19].map((step) => sessions[(at + step) % sessions.length] as CorpusSession)]));
}

/** Whether one of them was at work while the other was. */
function overlap(one: CorpusSession, other: CorpusSession): boolean {
  return one.from <= other.to && other.from <= one.to;
}

/** The session with the most prompts keeps its times; the others begin during its first turn, so that its second comes between theirs. */
function shifted(sessions: CorpusSession[]): CorpusCase {
  const [host, ...guests] = sessions.toSorted((a, b) => b.prompts.length - a.prompts.length) as [
    CorpusSession,
    ...CorpusSession[],
  ];
  return caseOf([host, ...guests], [0, ...guests.map((guest, at) => host.from + APART * (at + 1) - guest.from)]);
}

function caseOf(sessions: CorpusSession[], shifts: number[]): CorpusCase {
  const name = sessions.map((session) => nameOf(session.name)).join(' + ');
  const members = sessions.map((session, at) => ({ session, shift: shifts[at] as number, session_id: idOf(`${name} ${at}`) }));
  return { name, members };
}

/** An id of its own for each member of each case, the same in every run: ids order prompts of the same time. */
function idOf(member: string): string {
  const hex = createHash('sha256').update(member).digest('hex');
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-4${hex.slice(13, 16)}-8${hex.slice(17, 20)}-${hex.slice(20, 32)}`;
}

/**
 * The uuid of a record as part of a case. Transcripts that were written by hand name their records `a`, `u1`, …: those of two of
 * them would pass for copies of each other.
 */
export function ownUuid({ session_id }: Member, uuid: unknown): unknown {
  return typeof uuid !== 'string' || /^[0-9a-f-]{36}$/.test(uuid) ? uuid : `${session_id} ${uuid}`;
}

function nameOf(name: string): string {
  return `${basename(dirname(name))}/${basename(name)}`;
}
