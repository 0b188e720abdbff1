import { accountOf } from '../claude/account.ts';
import type { Subagents } from '../claude/discover.ts';
import { writtenCall } from '../claude/unfinished.ts';
import { sha256 } from '../core/hash.ts';
import { type ManifestSession, manifestBytes } from '../core/manifest.ts';
import {
  ATTRIBUTES_PATH,
  makeSnapshot,
  SNAPSHOT_ATTRIBUTES,
  type Snapshot,
  snapshotBytes,
  snapshotPath,
} from '../core/snapshot.ts';
import { TranscriptGone } from '../errors.ts';
import { leaveForHealing } from '../git/healing.ts';
import { authorOf, type Head, type Repository, readHead, worktreeTops } from '../git/repository.ts';
import { notAFile, notAFolder, removeSnapshotFile, writeSnapshotFile } from '../git/snapshot-folder.ts';
import {
  hasChanges,
  indexesInPlay,
  type SnapshotFolderInIndex,
  snapshotFolderInIndex,
  updateIndexes,
  usesForeignIndex,
  writeBlob,
} from '../git/staging.ts';
import { messages } from '../messages.ts';
import type { ContextStore, LooseChunk } from '../storage/context-store.ts';
import type { LocalState, Pending } from '../storage/local-state.ts';
import { type ActiveSession, activeSessions } from './choose.ts';
import { leftBy, readAgain, stillPending, unstage } from './pending.ts';
import { OutOfTime, type Progress } from './read-file.ts';
import { type CapturedSession, captureSession } from './read-session.ts';

export interface CaptureOptions {
  repository: Repository;
  /** Claude Code's configuration directory. */
  config: string;
  /** The session that makes this commit, from CLAUDE_CODE_SESSION_ID. */
  committing: string | undefined;
  redact: boolean;
  /** Milliseconds since 1970. */
  deadline: number;
  store: ContextStore;
  state: LocalState<Progress>;
}

/** What a capture did: a snapshot that is staged now, or null when there was nothing to capture. */
export interface CaptureResult {
  snapshot: Snapshot | null;
  /** Where it is staged, relative to the top. */
  path: string | null;
  warnings: string[];
}

const NOTHING: CaptureResult = { snapshot: null, path: null, warnings: [] };

/**
 * Captures the sessions behind the commit that is being made and stages their snapshot file into it.
 * @throws UserError (what keeps the context from being captured, in one sentence); OutOfTime.
 */
export async function capture(options: CaptureOptions): Promise<CaptureResult> {
  const { repository, state } = options;
  const { top } = repository;
  const known = state.pending(top);
  // Mostly no commit was aborted before and there is a HEAD: then Git is asked all of it at once.
  const [head, tops, differs] = await Promise.all([
    readHead(top),
    worktreeTops(repository),
    known === null ? hasChanges('HEAD', [], top) : null,
  ]);
  const pending = await stillPending(known, head, top);
  const left = pending === null ? [] : await leftBy(pending, head, top);
  if (!(head !== null && differs !== null ? differs : await hasChanges(head?.commit ?? null, left, top))) {
    await unstage(left, repository);
    return NOTHING;
  }
  if (options.committing !== undefined) await writtenCall(options.config, options.committing);
  const startedAt = Date.now();
  // Noted before anything can go wrong: should this capture not get to its end, the next one still looks from here on.
  if (state.lookedAt(top) === null) state.looked(top, (head?.time ?? 0) * 1000, '');
  const { sessions, purged } = await withoutPurged(await activeSessions(options, { head, tops, pending }), options.store);
  const loose: LooseChunk[] = [];
  const captured = { ...(await captureAll(sessions, options, (chunk) => loose.push(chunk))), loose };
  const result =
    captured.sessions.length === 0 ? await withdraw(left, options) : await stage(captured, { sessions, head, pending }, options);
  // A session that could not be read is looked for again, although it may not have changed by then.
  state.looked(top, captured.missed ? (state.lookedAt(top) ?? 0) : startedAt, head?.commit ?? '');
  return { ...result, warnings: [...captured.warnings, ...purged] };
}

/** A purged session is not captured again. */
async function withoutPurged(
  sessions: ActiveSession[],
  store: ContextStore,
): Promise<{ sessions: ActiveSession[]; purged: string[] }> {
  const gone = await store.purgedSessions(sessions.map(({ transcript }) => transcript.session_id));
  return {
    sessions: sessions.filter(({ transcript }) => !gone.has(transcript.session_id)),
    purged: [...gone].map(messages.sessionPurged),
  };
}

/**
 * Captures sessions into the store, without a snapshot file.
 * @throws OutOfTime, with all that was read up to then kept for the next time.
 */
async function captureAll(
  sessions: ActiveSession[],
  options: CaptureOptions,
  loose?: (chunk: LooseChunk) => void,
): Promise<{ sessions: CapturedSession[]; missed: boolean; warnings: string[] }> {
  const { store, state, redact, deadline, config, repository } = options;
  const result: CapturedSession[] = [];
  const warnings: string[] = [];
  let missed = false;
  if (sessions.length === 0) return { sessions: result, missed, warnings };
  const account = accountOf(config);
  const beside: Subagents = new Map();
  for (const { transcript } of sessions) {
    try {
      const earlier = (path: string) => state.progress(path);
      const captured = await captureSession(transcript, {
        store,
        redact,
        deadline,
        earlier,
        account,
        top: repository.top,
        beside,
        ...(loose === undefined ? {} : { loose }),
      });
      result.push(captured);
      warnings.push(...captured.warnings);
    } catch (error) {
      if (error instanceof OutOfTime) {
        await store.flush();
        state.saveProgress(new Map([...result.flatMap(({ progress }) => [...progress]), ...error.progress]));
      }
      if (!(error instanceof TranscriptGone)) throw error;
      missed = true;
      warnings.push(messages.sessionGone(transcript.session_id, error.message));
    }
  }
  return { sessions: result, missed, warnings };
}

/** Reads on where a capture ran out of time, without a snapshot file: the next commit finds the work done. */
export async function finishCapture(options: CaptureOptions): Promise<void> {
  const { repository, state, store } = options;
  const [head, tops] = await Promise.all([readHead(repository.top), worktreeTops(repository)]);
  const active = await withoutPurged(await activeSessions(options, { head, tops, pending: null }), store);
  const { sessions } = await captureAll(active.sessions, options);
  await store.flush();
  state.saveProgress(new Map(sessions.flatMap(({ progress }) => [...progress])));
}

async function stage(
  captured: { sessions: CapturedSession[]; loose: LooseChunk[] },
  facts: { sessions: ActiveSession[]; head: Head | null; pending: Pending | null },
  options: CaptureOptions,
): Promise<CaptureResult> {
  const { repository, store, state } = options;
  const { top } = repository;
  const sessions = captured.sessions.map(({ session }) => session);
  const parent_commit = facts.head?.commit ?? null;
  const fingerprint = fingerprintOf(sessions, parent_commit);
  const again = facts.pending?.fingerprint === fingerprint ? await readAgain(facts.pending, store) : null;
  const manifest = again?.manifest ?? { version: 1, created_at: new Date().toISOString(), parent_commit, sessions };
  // What Git has to be asked meanwhile does not wait for the disk.
  const [manifestHash, author, attributes] = await Promise.all([
    again?.hash ?? store.putManifest(manifest),
    authorOf(top),
    hasAttributes(repository),
  ]);
  const snapshot = makeSnapshot(manifest, {
    manifestHash,
    author,
    earlier: new Map(
      facts.sessions.flatMap(({ transcript, nearest }) => (nearest === null ? [] : [[transcript.session_id, nearest]])),
    ),
    covers: state.uncovered(top),
  });
  const path = again?.path ?? snapshotPath(snapshot.context_id, manifest.created_at);
  const files = new Map<string, Buffer>();
  if (!attributes) files.set(ATTRIBUTES_PATH, Buffer.from(SNAPSHOT_ATTRIBUTES));
  files.set(path, snapshotBytes(snapshot));
  // Recorded first: should it end between the two, what it may have left in the index and the work tree is known.
  state.record({
    worktree: top,
    progress: new Map(captured.sessions.flatMap(({ progress }) => [...progress])),
    captures: captured.sessions.map(({ session, size }) => ({
      context_id: snapshot.context_id,
      session_id: session.session_id,
      path,
      message_count: session.message_count,
      size,
    })),
    pending: { context_id: snapshot.context_id, path, fingerprint },
    loose: captured.loose,
    created_at: manifest.created_at,
  });
  await stageFiles(files, facts.pending, options);
  return { snapshot, path, warnings: [] };
}

/**
 * Whether the index of the commit has our attributes.
 * @throws UserError when an index in play tracks something where snapshot files belong.
 */
async function hasAttributes(repository: Repository): Promise<boolean> {
  const { top } = repository;
  const [own, ...others] = await Promise.all(
    indexesInPlay(repository).map((index, at) => snapshotFolderInIndex(top, at === 0 ? undefined : index)),
  );
  for (const { inTheWay } of [own as SnapshotFolderInIndex, ...others]) {
    if (inTheWay === null) continue;
    throw inTheWay.isFolder ? notAFile(inTheWay.path, 'git rm -r --cached') : notAFolder(top, inTheWay.path);
  }
  return own?.attributes === true;
}

async function stageFiles(files: Map<string, Buffer>, pending: Pending | null, { repository }: CaptureOptions): Promise<void> {
  const { top } = repository;
  const indexes = indexesInPlay(repository);
  const staged = await Promise.all([...files].map(async ([name, bytes]) => ({ path: name, oid: await writeBlob(bytes, top) })));
  for (const [name, bytes] of files) writeSnapshotFile(top, name, bytes);
  const gone = pending !== null && !files.has(pending.path) ? [pending.path] : [];
  await updateIndexes(indexes, top, staged, gone);
  if (usesForeignIndex(repository)) leaveForHealing(repository, staged);
  for (const name of gone) removeSnapshotFile(top, name);
}

/** Nothing to capture any more: what an aborted commit left does not go into this one. */
async function withdraw(left: string[], { repository, state }: CaptureOptions): Promise<CaptureResult> {
  if (left.length === 0) return NOTHING;
  await unstage(left, repository);
  state.record({ worktree: repository.top, progress: new Map(), captures: [], pending: null, loose: [], created_at: '' });
  return NOTHING;
}

/** What a capture is apart from its time: two captures with the same fingerprint are one context. */
function fingerprintOf(sessions: ManifestSession[], parent_commit: string | null): string {
  return sha256(manifestBytes({ version: 1, created_at: '', parent_commit, sessions }));
}
