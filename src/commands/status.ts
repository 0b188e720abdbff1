import { candidates } from '../capture/choose.ts';
import type { Progress } from '../capture/read-file.ts';
import { configDir } from '../claude/paths.ts';
import { dataDir, readSettings } from '../config/settings.ts';
import { contextsOfCommit } from '../context/of-commits.ts';
import { type Snapshot, shortContext } from '../core/snapshot.ts';
import { UserError } from '../errors.ts';
import { checkHooks } from '../git/hook-check.ts';
import { openRepository, type Repository, readHead, worktreeTops } from '../git/repository.ts';
import { messages } from '../messages.ts';
import { openStores } from '../storage/open.ts';
import { directoryOf, type Options, type Output } from '../ui/run.ts';
import { plural } from '../ui/words.ts';

export interface ActiveSession {
  session_id: string;
  /** Time of the last change, ISO 8601. */
  modified_at: string;
  /** Bytes that no capture has seen yet. */
  new_bytes: number;
}

export interface Status {
  /** HEAD, null before the first commit. */
  commit: string | null;
  context: { context_ids: string[]; sessions: number; total_messages: number } | null;
  /** The sessions that the next commit would capture. */
  active_sessions: ActiveSession[];
  capture: { ok: boolean; problems: string[] };
  store: { url: string | null; pending_uploads: number };
}

/** What the next commit would do, and whether capture works at all. @throws UserError outside a work tree. */
export async function status({ cwd }: { cwd: string }): Promise<Status> {
  const repository = await openRepository(cwd);
  const head = await readHead(repository.top);
  const [hooks, settings] = await Promise.all([checkHooks(repository), readSettings(repository.top)]);
  const problems = [...hooks.problems, ...settings.warnings];
  const store = { url: null as string | null, pending_uploads: 0 };
  let active_sessions: ActiveSession[] = [];
  try {
    ({ active_sessions, url: store.url } = await activeSessions(repository, (head?.time ?? 0) * 1000));
  } catch (error) {
    if (!(error instanceof UserError)) throw error;
    problems.push([error.message, error.next].filter(Boolean).join(' '));
  }
  const contexts = head === null ? [] : (await contextsOfCommit(head.commit, repository.top)).contexts;
  return {
    commit: head?.commit ?? null,
    context: contexts.length === 0 ? null : summary(contexts),
    active_sessions,
    capture: { ok: problems.length === 0, problems },
    store,
  };
}

/**
 * The sessions that the next commit in this work tree would capture.
 * @param headTime committer time of HEAD, milliseconds since 1970.
 * @throws StoreError
 */
export async function activeSessions(
  repository: Repository,
  headTime: number,
): Promise<{ active_sessions: ActiveSession[]; url: string }> {
  const stores = await openStores<Progress>({ dataDir: dataDir(), commonDir: repository.commonDir });
  try {
    const config = configDir();
    const { state, blobs } = stores;
    if (config === null) return { active_sessions: [], url: blobs.url };
    const since = Math.min(headTime, state.lookedAt(repository.top) ?? headTime);
    const facts = { config, tops: await worktreeTops(repository), committing: undefined, since, pending: null };
    const active_sessions = candidates(facts, state)
      .map(({ transcript, captures: [latest] }) => ({
        session_id: transcript.session_id,
        modified_at: new Date(transcript.mtime).toISOString(),
        new_bytes: latest === undefined ? transcript.size : Math.max(0, transcript.size - latest.size),
      }))
      .filter(({ new_bytes }) => new_bytes > 0);
    return { active_sessions, url: blobs.url };
  } finally {
    await stores.close();
  }
}

function summary(contexts: Snapshot[]): NonNullable<Status['context']> {
  const sessions = new Map(
    contexts.flatMap((context) => context.sessions.map((session) => [session.session_id, session.message_count])),
  );
  return {
    context_ids: contexts.map(({ context_id }) => context_id),
    sessions: sessions.size,
    total_messages: [...sessions.values()].reduce((sum, count) => sum + count, 0),
  };
}

/** The status as a person reads it; what is wrong comes first. */
export function renderStatus({ commit, context, active_sessions, capture, store }: Status): string {
  return [
    ...(capture.ok ? ['✓ Capture works: the next commit takes the conversation with it'] : [messages.captureBroken]),
    ...capture.problems.map((problem) => `  ! ${problem}`),
    commit === null ? '  - No commit yet' : `  - Commit ${commit.slice(0, 7)}: ${contextLine(context)}`,
    `  - ${active_sessions.length === 0 ? 'No active session' : `${plural(active_sessions.length, 'active session')}: ${active_sessions.map(({ session_id }) => session_id.slice(0, 8)).join(', ')}`}`,
    `  - Store: ${store.url ?? 'not available'}`,
  ].join('\n');
}

function contextLine(context: Status['context']): string {
  if (context === null) return 'no context';
  return `${context.context_ids.map(shortContext).join(', ')} (${plural(context.sessions, 'session')}, ${plural(context.total_messages, 'message')})`;
}

/** `cc-status`. */
export async function statusCommand(options: Options): Promise<Output> {
  const data = await status({ cwd: directoryOf(options) });
  return { data, text: renderStatus(data) };
}
