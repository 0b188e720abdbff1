import { activeSessions } from '../capture/choose.ts';
import { stillPending } from '../capture/pending.ts';
import type { Progress } from '../capture/read-file.ts';
import { configDir } from '../claude/paths.ts';
import { readSettings } from '../config/settings.ts';
import { readSharedStore, type SharedStore } from '../config/shared-store.ts';
import { readTeamKeys } from '../config/team-keys.ts';
import { contextsOfCommit } from '../context/of-commits.ts';
import { waiting } from '../context/outbox.ts';
import { withStores } from '../context/stores.ts';
import { type Snapshot, shortContext, unionOf } from '../core/snapshot.ts';
import { UserError } from '../errors.ts';
import { checkHooks } from '../git/hooks/check.ts';
import { type Head, openRepository, type Repository, readHead, worktreeTops } from '../git/repository.ts';
import { messages } from '../messages.ts';
import type { LocalState } from '../storage/local-state.ts';
import { directoryOf, type Options, type Output } from '../ui/run.ts';
import { plural } from '../ui/words.ts';

export interface ActiveSession {
  session_id: string;
  /** Time of the last change, ISO 8601. */
  modified_at: string;
  /** Bytes that no ancestor of HEAD has. */
  new_bytes: number;
}

export interface Status {
  /** HEAD, null before the first commit. */
  commit: string | null;
  context: { context_ids: string[]; sessions: number; total_messages: number } | null;
  /** The sessions that the next commit would capture. */
  active_sessions: ActiveSession[];
  capture: { ok: boolean; problems: string[] };
  /** Worth knowing, although capture works. */
  warnings: string[];
  /** The store on this machine, and the one that the team shares. */
  store: {
    url: string | null;
    shared: string | null;
    /** Whether what goes to the shared one is encrypted. */
    encrypted: boolean;
    pending_uploads: number;
  };
}

/** What the next commit would do, and whether capture works at all. @throws UserError outside a work tree. */
export async function status({ cwd }: { cwd: string }): Promise<Status> {
  const repository = await openRepository(cwd);
  const head = await readHead(repository.top);
  const [hooks, settings] = await Promise.all([checkHooks(repository), readSettings(repository.top)]);
  const problems = [...hooks.problems];
  const store: Status['store'] = { url: null, shared: null, encrypted: false, pending_uploads: 0 };
  const warnings = [...settings.warnings];
  let active_sessions: ActiveSession[] = [];
  try {
    const shared = await readSharedStore(repository);
    store.shared = shared?.url ?? null;
    store.encrypted = (shared?.encryption ?? null) !== null;
    if (shared?.trusted === false) warnings.push(messages.notTrustedYet(shared.url));
    else if (shared !== null) warnings.push(...(await keyWarnings(repository, shared)));
    await withStores(repository, async (stores) => {
      active_sessions = (await nextSessions(repository, head, stores.state)).map(({ captured: _, ...session }) => session);
      store.url = stores.blobs.url;
      store.pending_uploads = shared === null ? 0 : waiting(stores, shared).length;
    });
  } catch (error) {
    if (!(error instanceof UserError)) throw error;
    problems.push(error.sentence);
  }
  const contexts = head === null ? [] : (await contextsOfCommit(head.commit, repository.top)).contexts;
  return {
    commit: head?.commit ?? null,
    context: contexts.length === 0 ? null : summary(contexts),
    active_sessions,
    capture: { ok: problems.length === 0, problems },
    warnings,
    store,
  };
}

/** What the next commit in this work tree would capture, and how much of it no capture has seen, or has seen for a commit that did not come about. */
export async function nextSessions(
  repository: Repository,
  head: Head | null,
  state: LocalState<Progress>,
): Promise<(ActiveSession & { captured: boolean })[]> {
  const config = configDir();
  if (config === null) return [];
  const pending = await stillPending(state.pending(repository.top), head, repository.top);
  const waiting = new Set(pending === null ? [] : state.sessionsOf(pending.context_id));
  const sessions = await activeSessions({ repository, config, state }, { head, tops: await worktreeTops(repository), pending });
  return sessions.map(({ transcript: { session_id, size, mtime }, captures: [latest], nearest }) => ({
    session_id,
    modified_at: new Date(mtime).toISOString(),
    new_bytes: Math.max(0, size - (nearest?.size ?? 0)),
    captured: latest?.size === size && !waiting.has(session_id),
  }));
}

/** What is the matter with the keys that the store needs: none, another one, files that others can read. */
async function keyWarnings(repository: Repository, { encryption }: SharedStore): Promise<string[]> {
  if (encryption === null) return [];
  try {
    return (await readTeamKeys(repository, encryption)).warnings;
  } catch (error) {
    if (!(error instanceof UserError)) throw error;
    return [error.sentence];
  }
}

function summary(contexts: Snapshot[]): NonNullable<Status['context']> {
  const { sessions, total_messages } = unionOf(contexts);
  return { context_ids: contexts.map(({ context_id }) => context_id), sessions, total_messages };
}

/** The status as a person reads it; what is wrong comes first. */
export function renderStatus({ commit, context, active_sessions, capture, warnings, store }: Status): string {
  return [
    ...(capture.ok ? ['✓ Capture works: the next commit takes the conversation with it'] : [messages.captureBroken]),
    ...[...capture.problems, ...warnings].map((problem) => `  ! ${problem}`),
    commit === null ? '  - No commit yet' : `  - Commit ${commit.slice(0, 7)}: ${contextLine(context)}`,
    `  - ${active_sessions.length === 0 ? 'No active session' : `${plural(active_sessions.length, 'active session')}: ${active_sessions.map(({ session_id }) => session_id.slice(0, 8)).join(', ')}`}`,
    `  - Store: ${store.url ?? 'not available'}`,
    ...(store.shared === null
      ? []
      : [`  - Shared store: ${store.shared} (${store.encrypted ? 'encrypted, ' : ''}${uploadsLine(store.pending_uploads)})`]),
  ].join('\n');
}

function uploadsLine(pending: number): string {
  return pending === 0
    ? 'nothing of this clone waits to be uploaded'
    : `${plural(pending, 'context')} to be uploaded: cc-context push`;
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
