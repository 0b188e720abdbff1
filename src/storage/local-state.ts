import { join } from 'node:path';
import { type Database, openDatabase, transaction } from '../../storage-adapters/sqlite/database.ts';
import { StoreDamaged } from '../errors.ts';
import type { LooseChunk } from './context-store.ts';
import type { UploadLog } from './upload.ts';

/** One capture of one session. */
export interface CaptureRow {
  context_id: string;
  session_id: string;
  /** The snapshot file's path in the repository. */
  path: string;
  message_count: number;
  /** Bytes of the transcript at that time. */
  size: number;
  /** The commit last known to own the context; null or missing when none is. */
  git_commit?: string | null;
}

/** A snapshot file that was staged; still pending when the commit did not come about. */
export interface Pending {
  context_id: string;
  path: string;
  /** What the context holds apart from the time: equal means that the same context can be used again. */
  fingerprint: string;
}

const SCHEMA = `
CREATE TABLE IF NOT EXISTS state (name TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS progress (path TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS capture (
  context_id TEXT NOT NULL, session_id TEXT NOT NULL, path TEXT NOT NULL, message_count INTEGER NOT NULL, size INTEGER NOT NULL,
  created_at TEXT NOT NULL, git_commit TEXT, PRIMARY KEY (context_id, session_id)
);
CREATE INDEX IF NOT EXISTS capture_session ON capture (session_id, created_at);
CREATE TABLE IF NOT EXISTS pending (worktree TEXT PRIMARY KEY, context_id TEXT NOT NULL, path TEXT NOT NULL, fingerprint TEXT NOT NULL) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS worktree (top TEXT PRIMARY KEY, looked_at INTEGER NOT NULL, head TEXT NOT NULL) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS uncovered (worktree TEXT NOT NULL, git_commit TEXT NOT NULL, noted_at TEXT NOT NULL, PRIMARY KEY (worktree, git_commit)) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS loose (number INTEGER PRIMARY KEY, hash TEXT NOT NULL, before TEXT NOT NULL);
CREATE TABLE IF NOT EXISTS uploaded (store TEXT NOT NULL, key TEXT NOT NULL, PRIMARY KEY (store, key)) WITHOUT ROWID;
`;
/** Made by the first `gc` of a store that tells no ages. */
const SEEN =
  'CREATE TABLE IF NOT EXISTS seen (store TEXT NOT NULL, key TEXT NOT NULL, at INTEGER NOT NULL, PRIMARY KEY (store, key)) WITHOUT ROWID';
/** Another number when the tables or what a progress holds have changed: missing tables are made then, and the progress is forgotten. */
const VERSION = 3;

/** Only the latest captures of a session can be the nearest ancestor's: older ones are not asked for. */
const LATEST = 50;

/**
 * What this repository knows locally, in `<git common dir>/cc-context/state.db`: seen by every worktree, untouched by `git clean`, and
 * only ever a cache: when it is lost the next capture reads the transcripts from their beginning.
 *
 * @typeParam P how far a file was read and what came of it: the capture's own affair, kept here as JSON.
 */
export interface LocalState<P> {
  progress(path: string): P | null;
  /** The files that have a chunk, by its hash, with how far each was read. */
  filesWith(chunk: string): Map<string, P>;
  /** Bytes that the latest capture of each session saw of its transcript. */
  latestSizes(): Map<string, number>;
  /** When a capture of this work tree last looked for sessions, milliseconds since 1970; null when never. */
  lookedAt(worktree: string): number | null;
  /** @param head the commit that was HEAD then, empty before the first. */
  looked(worktree: string, at: number, head: string): void;
  /** HEAD at the last look, null when never. */
  lookedHead(worktree: string): string | null;
  sessionsOf(contextId: string): string[];
  captures(sessionId: string): CaptureRow[];
  pending(worktree: string): Pending | null;
  uncovered(worktree: string): string[];
  /** Writes what a capture found out, all or nothing. */
  record(capture: {
    worktree: string;
    progress: Map<string, P>;
    captures: CaptureRow[];
    pending: Pending | null;
    loose: LooseChunk[];
    created_at: string;
  }): void;
  /** What is known to be in a store of the team, by its fingerprint. */
  uploads(store: string): UploadLog;
  /** The chunks that were stored loose and not packed since, the oldest first. */
  looseChunks(): LooseChunk[];
  /** These are packed now. */
  packed(chunks: LooseChunk[]): void;
  /** Writes what a restore made: sessions that continue captured ones. */
  restored(captures: CaptureRow[], progress: Map<string, P>): void;
  saveProgress(progress: Map<string, P>): void;
  /** After a commit: the context is no longer pending, and belongs to it. */
  committed(worktree: string, contextIds: string[], commit: string): void;
  noteUncovered(worktree: string, commit: string): void;
  /** The contexts captured here and the commit last known to own each (null before the first commit that took it). */
  ownedContexts(): { context_id: string; path: string; git_commit: string | null }[];
  moveOwner(contextId: string, commit: string): void;
  /** What was staged in any of the work trees and waits for its commit. */
  allPending(): Pending[];
  /** How far each file was read, by its path. */
  allProgress(): Iterable<[path: string, progress: P]>;
  /** A session was purged, and with it these chunks. */
  forgetSession(sessionId: string, chunks: string[]): void;
  /** These contexts are gone from this machine. */
  forgetContexts(contextIds: string[]): void;
  /** No commit owns these contexts any more. */
  disown(contextIds: string[]): void;
  /** When each of these objects of a store was first seen here (milliseconds since 1970): now, where it was not seen before. Others are forgotten. */
  firstSeen(store: string, keys: string[]): Map<string, number>;
  close(): void;
}

/**
 * Opens the local state of a repository.
 * @param storeId the store that the progress refers to; progress made against another store is forgotten.
 * @throws StoreError
 */
export function openLocalState<P>(commonDir: string, storeId: string, timeout: number): LocalState<P> {
  const database = openState(join(commonDir, 'cc-context', 'state.db'), storeId, timeout);
  const rows = <T>(sql: string, ...values: (string | number)[]) => database.prepare(sql).all(...values) as unknown as T[];
  const row = <T>(sql: string, ...values: (string | number)[]) =>
    (database.prepare(sql).get(...values) as unknown as T | undefined) ?? null;
  const writeProgress = (progress: Map<string, P>) => {
    const put = database.prepare('INSERT OR REPLACE INTO progress (path, value) VALUES (?, ?)');
    for (const [path, value] of progress) put.run(path, JSON.stringify(value));
  };
  const writeCaptures = (captures: CaptureRow[], created_at: string) => {
    const put = database.prepare(
      'INSERT OR IGNORE INTO capture (context_id, session_id, path, message_count, size, created_at) VALUES (?, ?, ?, ?, ?, ?)',
    );
    for (const one of captures) put.run(one.context_id, one.session_id, one.path, one.message_count, one.size, created_at);
  };

  return {
    progress: (path) => {
      const found = row<{ value: string }>('SELECT value FROM progress WHERE path = ?', path);
      return found === null ? null : (JSON.parse(found.value) as P);
    },
    filesWith: (chunk) =>
      new Map(
        rows<{ path: string; value: string }>('SELECT path, value FROM progress WHERE instr(value, ?)', chunk).map(
          ({ path, value }) => [path, JSON.parse(value) as P],
        ),
      ),
    latestSizes: () =>
      new Map(
        rows<{ session_id: string; size: number }>(
          'SELECT session_id, size, MAX(created_at) FROM capture GROUP BY session_id',
        ).map((found) => [found.session_id, found.size]),
      ),
    lookedAt: (worktree) =>
      row<{ looked_at: number }>('SELECT looked_at FROM worktree WHERE top = ?', worktree)?.looked_at ?? null,
    looked: (worktree, at, head) => {
      database.prepare('INSERT OR REPLACE INTO worktree (top, looked_at, head) VALUES (?, ?, ?)').run(worktree, at, head);
    },
    lookedHead: (worktree) => row<{ head: string }>('SELECT head FROM worktree WHERE top = ?', worktree)?.head ?? null,
    sessionsOf: (contextId) =>
      rows<{ session_id: string }>('SELECT session_id FROM capture WHERE context_id = ?', contextId).map(
        (found) => found.session_id,
      ),
    captures: (sessionId) =>
      rows<CaptureRow>(
        'SELECT context_id, session_id, path, message_count, size, git_commit FROM capture WHERE session_id = ? ORDER BY created_at DESC LIMIT ?',
        sessionId,
        LATEST,
      ),
    pending: (worktree) => row<Pending>('SELECT context_id, path, fingerprint FROM pending WHERE worktree = ?', worktree),
    uncovered: (worktree) =>
      rows<{ git_commit: string }>('SELECT git_commit FROM uncovered WHERE worktree = ? ORDER BY noted_at', worktree).map(
        (found) => found.git_commit,
      ),
    record: ({ worktree, progress, captures, pending, loose, created_at }) =>
      transaction(database, () => {
        writeProgress(progress);
        writeCaptures(captures, created_at);
        for (const { hash, before } of loose)
          database.prepare('INSERT INTO loose (hash, before) VALUES (?, ?)').run(hash, before);
        database.prepare('DELETE FROM pending WHERE worktree = ?').run(worktree);
        if (pending === null) return;
        database
          .prepare('INSERT INTO pending (worktree, context_id, path, fingerprint) VALUES (?, ?, ?, ?)')
          .run(worktree, pending.context_id, pending.path, pending.fingerprint);
      }),
    restored: (captures, progress) =>
      transaction(database, () => {
        writeProgress(progress);
        writeCaptures(captures, new Date().toISOString());
      }),
    saveProgress: (progress) => transaction(database, () => writeProgress(progress)),
    committed: (worktree, contextIds, commit) =>
      transaction(database, () => {
        const own = database.prepare('UPDATE capture SET git_commit = ? WHERE context_id = ?');
        const settle = database.prepare('DELETE FROM pending WHERE worktree = ? AND context_id = ?');
        let settled = 0;
        for (const id of contextIds) {
          own.run(commit, id);
          settled += Number(settle.run(worktree, id).changes);
        }
        // Only a capture of this work tree covers what went unseen here; a cherry-pick brings contexts along that do not.
        if (settled > 0) database.prepare('DELETE FROM uncovered WHERE worktree = ?').run(worktree);
      }),
    noteUncovered: (worktree, commit) =>
      transaction(database, () =>
        database
          .prepare('INSERT OR IGNORE INTO uncovered (worktree, git_commit, noted_at) VALUES (?, ?, ?)')
          .run(worktree, commit, new Date().toISOString()),
      ),
    ownedContexts: () => rows('SELECT DISTINCT context_id, path, git_commit FROM capture'),
    moveOwner: (contextId, commit) => {
      database.prepare('UPDATE capture SET git_commit = ? WHERE context_id = ?').run(commit, contextId);
    },
    uploads: (store) => ({
      missing: (keys) => {
        const there = rows<{ key: string }>(
          'SELECT key FROM uploaded WHERE store = ? AND key IN (SELECT value FROM json_each(?))',
          store,
          JSON.stringify(keys),
        );
        const known = new Set(there.map(({ key }) => key));
        return keys.filter((key) => !known.has(key));
      },
      add: (keys) =>
        transaction(database, () => {
          const put = database.prepare('INSERT OR IGNORE INTO uploaded (store, key) VALUES (?, ?)');
          for (const key of keys) put.run(store, key);
        }),
      forget: () => {
        database.prepare('DELETE FROM uploaded WHERE store = ?').run(store);
      },
    }),
    allPending: () => rows<Pending>('SELECT context_id, path, fingerprint FROM pending'),
    *allProgress() {
      for (const { path } of rows<{ path: string }>('SELECT path FROM progress')) {
        const found = row<{ value: string }>('SELECT value FROM progress WHERE path = ?', path);
        if (found !== null) yield [path, JSON.parse(found.value) as P];
      }
    },
    forgetSession: (sessionId, chunks) =>
      transaction(database, () => {
        database.prepare('DELETE FROM progress WHERE instr(path, ?)').run(sessionId);
        database.prepare('DELETE FROM capture WHERE session_id = ?').run(sessionId);
        const forget = database.prepare('DELETE FROM loose WHERE hash = ? OR before = ?');
        for (const hash of chunks) forget.run(hash, hash);
      }),
    forgetContexts: (contextIds) =>
      transaction(database, () => {
        const forget = database.prepare('DELETE FROM capture WHERE context_id = ?');
        for (const id of contextIds) forget.run(id);
      }),
    disown: (contextIds) =>
      transaction(database, () => {
        const disown = database.prepare('UPDATE capture SET git_commit = NULL WHERE context_id = ?');
        for (const id of contextIds) disown.run(id);
      }),
    firstSeen: (store, keys) =>
      transaction(database, () => {
        database.exec(SEEN);
        const known = new Map(
          rows<{ key: string; at: number }>('SELECT key, at FROM seen WHERE store = ?', store).map(({ key, at }) => [key, at]),
        );
        database.prepare('DELETE FROM seen WHERE store = ?').run(store);
        const put = database.prepare('INSERT INTO seen (store, key, at) VALUES (?, ?, ?)');
        const now = Date.now();
        const seen = new Map(keys.map((key) => [key, known.get(key) ?? now]));
        for (const [key, at] of seen) put.run(store, key, at);
        return seen;
      }),
    looseChunks: () => rows('SELECT hash, before FROM loose ORDER BY number'),
    packed: (chunks) =>
      transaction(database, () => {
        const forget = database.prepare('DELETE FROM loose WHERE hash = ?');
        for (const { hash } of chunks) forget.run(hash);
      }),
    close: () => database.close(),
  };
}

function openState(path: string, storeId: string, timeout: number): Database {
  const open = () => {
    const database = openDatabase(path, { timeout, durable: false, disposable: true });
    prepareState(database, storeId);
    return database;
  };
  try {
    return open();
  } catch (error) {
    if (!(error instanceof StoreDamaged)) throw error;
    return open(); // it is new now
  }
}

function prepareState(database: Database, storeId: string): void {
  const madeFor = `${VERSION} ${storeId}`;
  const read = () => database.prepare("SELECT value FROM state WHERE name = 'made_for'").get()?.['value'];
  try {
    if (read() === madeFor) return;
  } catch (error) {
    if (error instanceof StoreDamaged) throw error;
    // No such table: the state is new.
  }
  transaction(database, () => {
    database.exec(SCHEMA);
    if (read() === madeFor) return;
    database.exec('DELETE FROM progress; DELETE FROM loose');
    database.prepare("INSERT OR REPLACE INTO state (name, value) VALUES ('made_for', ?)").run(madeFor);
  });
}
