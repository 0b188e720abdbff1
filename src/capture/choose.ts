import { discoverTranscripts, findTranscript, type TranscriptFile } from '../claude/discover.ts';
import { innermost, workingDirectory } from '../claude/where.ts';
import type { CaptureRow, LocalState } from '../storage/local-state.ts';
import { OutOfTime } from './read-file.ts';

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
export function active(choices: Choice[], inHead: Set<string>): ActiveSession[] {
  return choices.flatMap((choice) => {
    const nearest = choice.captures.find(({ path }) => inHead.has(path)) ?? null;
    return nearest !== null && nearest.size === choice.transcript.size ? [] : [{ ...choice, nearest }];
  });
}
