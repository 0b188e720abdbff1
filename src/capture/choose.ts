import { discoverTranscripts, findTranscript, type TranscriptFile } from '../claude/discover.ts';
import { innermost, workingDirectory } from '../claude/where.ts';
import { type Head, isAncestor, type Repository } from '../git/repository.ts';
import { pathsInIndex, pathsInTree } from '../git/staging.ts';
import type { CaptureRow, LocalState, Pending } from '../storage/local-state.ts';
import { OutOfTime } from './read-file.ts';
import { recall } from './recall.ts';

export interface Choice {
  transcript: TranscriptFile;
  /** Earlier captures of the session, the latest first. */
  captures: CaptureRow[];
}

/** A session and what the commit's ancestors have of it. */
export interface ActiveSession extends Choice {
  /** The capture that the nearest ancestor owns, null when no ancestor has this session. */
  nearest: CaptureRow | null;
}

export interface ChoiceOptions {
  repository: Repository;
  /** Claude Code's configuration directory. */
  config: string;
  /** The session that makes this commit, from CLAUDE_CODE_SESSION_ID. */
  committing?: string | undefined;
  /** Milliseconds since 1970. */
  deadline?: number;
  state: Pick<LocalState<unknown>, 'lookedAt' | 'latestSizes' | 'captures' | 'sessionsOf'>;
}

/** So many captures of a session are asked for when the commit's own tree has none of it. */
const LATEST = 5;

/**
 * The sessions that a commit on HEAD captures, each with what HEAD has of it. Changes nothing.
 * @param at `tops` of all work trees, this one first; `pending` is what an aborted commit left behind.
 * @throws OutOfTime
 */
export async function activeSessions(
  { config, committing, state, repository, deadline }: ChoiceOptions,
  { head, tops, pending }: { head: Head | null; tops: string[]; pending: Pending | null },
): Promise<ActiveSession[]> {
  const headTime = (head?.time ?? 0) * 1000;
  const looked = state.lookedAt(repository.top);
  // The commit before may be younger than the last look (a pull, a merge, --no-verify) or much older (another branch): what lies after either
  // counts. An orphan branch has none before it, and is not about all that was ever said.
  const since = head === null ? (looked ?? 0) : Math.min(headTime, looked ?? headTime);
  const facts = { config, tops, committing, since, pending: pending?.context_id ?? null };
  const choices = candidates(deadline === undefined ? facts : { ...facts, deadline }, state);
  if (head !== null) await recallCaptures(choices, head.commit, repository.top);
  const paths = [...new Set(choices.flatMap(({ captures }) => captures.map(({ path }) => path)))];
  const [inHead, inIndex] = await Promise.all([
    head === null ? [] : pathsInTree(head.commit, paths, repository.top),
    pathsInIndex(paths, repository.top),
  ]);
  // A squash or a pick without a commit has brought contexts along in the index, which the commit will own.
  const owned = new Set([...inHead, ...[...inIndex.keys()].filter((path) => path !== pending?.path)]);
  // A revert took the file away again, but not what an ancestor owns.
  const lost = choices.filter(({ captures }) => !captures.some(({ path }) => owned.has(path)));
  const inHistory = head === null ? [] : await pathsOfAncestors(lost, head.commit, repository.top);
  return active(choices, new Set([...owned, ...inHistory]));
}

/** Sessions that the local state does not know may be known to HEAD's snapshot files: another clone, a lost state. */
async function recallCaptures(choices: Choice[], commit: string, top: string): Promise<void> {
  const unknown = choices.filter(({ captures }) => captures.length === 0);
  const ids = unknown.map(({ transcript }) => transcript.session_id);
  const recalled = await recall(ids, commit, top);
  for (const { transcript, captures } of unknown)
    captures.push(...recalled.filter(({ session_id }) => session_id === transcript.session_id));
}

/** The paths of the sessions' latest captures that ancestors of a commit own, as far as the local state knows. */
async function pathsOfAncestors(choices: Choice[], commit: string, top: string): Promise<string[]> {
  const known = choices.flatMap(({ captures }) => captures.slice(0, LATEST));
  const paths = known.map(async ({ path, git_commit }) =>
    git_commit && (await isAncestor(git_commit, commit, top)) ? [path] : [],
  );
  return (await Promise.all(paths)).flat();
}

/**
 * The sessions that may be behind a commit in this work tree: with bytes that no capture has seen, or modified after `since`, and
 * last working in this work tree; and the one that is committing, always.
 * @param facts `since` in milliseconds since 1970; `pending` is a context that an aborted commit left behind: its sessions wait for this one.
 * @throws OutOfTime when `deadline` (milliseconds since 1970) comes before all transcripts were looked at.
 */
export function candidates(
  facts: {
    config: string;
    tops: string[];
    committing: string | undefined;
    since: number;
    pending: string | null;
    deadline?: number;
  },
  state: Pick<LocalState<unknown>, 'latestSizes' | 'captures' | 'sessionsOf'>,
): Choice[] {
  const [top] = facts.tops;
  const sizes = state.latestSizes();
  const waiting = new Set(facts.pending === null ? [] : state.sessionsOf(facts.pending));
  const isNew = ({ session_id, size, mtime }: TranscriptFile) =>
    mtime > facts.since || waiting.has(session_id) || (sizes.has(session_id) && sizes.get(session_id) !== size);
  const found = discoverTranscripts(facts.config, facts.tops)
    .filter((transcript) => transcript.size > 0 && isNew(transcript))
    .filter(({ path, session_id }) => {
      if (Date.now() > (facts.deadline ?? Number.POSITIVE_INFINITY)) throw new OutOfTime();
      const directory = workingDirectory(path);
      return session_id === facts.committing || (directory !== null && innermost(directory, facts.tops) === top);
    });
  const named = facts.committing === undefined ? null : findTranscript(facts.config, facts.committing);
  if (named !== null && !found.some(({ session_id }) => session_id === named.session_id)) found.push(named);
  return found
    .sort((a, b) => (a.session_id < b.session_id ? -1 : 1))
    .map((transcript) => ({
      transcript,
      captures: sizes.has(transcript.session_id) ? state.captures(transcript.session_id) : [],
    }));
}

/**
 * Leaves out what an ancestor has already, whole and unchanged, and finds for the rest how far the nearest ancestor came.
 * @param inHead the snapshot files among those of the captures that HEAD has.
 */
function active(choices: Choice[], inHead: Set<string>): ActiveSession[] {
  return choices.flatMap((choice) => {
    const nearest = choice.captures.find(({ path }) => inHead.has(path)) ?? null;
    return nearest !== null && nearest.size === choice.transcript.size ? [] : [{ ...choice, nearest }];
  });
}
