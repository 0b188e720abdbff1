import { chmodSync, closeSync, constants, openSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname } from 'node:path';
import { StoreBusy, StoreDamaged, StoreError } from '../../src/errors.ts';
import { makeFolders } from '../../src/make-folders.ts';

type Value = string | number | bigint | Buffer | null;

/**
 * The part of SQLite that both drivers have: `node:sqlite`, and better-sqlite3 for a Node that was built without. All that goes wrong is a
 * StoreError that names the database.
 */
export interface Database {
  exec(sql: string): void;
  prepare(sql: string): Statement;
  close(): void;
}

export interface Statement {
  run(...values: Value[]): { changes: number | bigint };
  get(...values: Value[]): Record<string, Value> | undefined;
  all(...values: Value[]): Record<string, Value>[];
}

/**
 * Opens a database in WAL mode, file and folder readable by their owner only, whatever the umask.
 * @param timeout how long to wait for another process's lock, milliseconds.
 * @param durable true: a committed transaction survives a power cut (synchronous=FULL); false: only a crash of the process.
 * @param disposable a cache: when it turns out to be damaged it is removed, so that the next one to open it makes it anew.
 * @throws StoreError when it cannot be opened.
 */
export function openDatabase(
  path: string,
  { timeout, durable, disposable = false }: { timeout: number; durable: boolean; disposable?: boolean },
): Database {
  const told = <T>(work: () => T): T => {
    try {
      return work();
    } catch (cause) {
      const error = storeError(path, cause);
      if (disposable && error instanceof StoreDamaged)
        for (const file of [path, `${path}-wal`, `${path}-shm`]) rmSync(file, { force: true });
      throw error;
    }
  };
  const driver = told(() => {
    makeFolders(dirname(path));
    closeSync(openSync(path, constants.O_CREAT | constants.O_RDWR | constants.O_NOFOLLOW, 0o600));
    chmodSync(path, 0o600);
    return connect(path, Math.floor(timeout));
  });
  const database: Database = {
    exec: (sql) => told(() => driver.exec(sql)),
    prepare(sql) {
      const statement = told(() => driver.prepare(sql));
      return {
        run: (...values) => told(() => statement.run(...values)),
        get: (...values) => told(() => statement.get(...values)),
        all: (...values) => told(() => statement.all(...values)),
      };
    },
    close: () => told(() => driver.close()),
  };
  try {
    database.exec(`PRAGMA busy_timeout = ${Math.floor(timeout)}`); // node:sqlite before 22.16 has no option for it
    patiently(timeout, () => database.exec('PRAGMA journal_mode = WAL'));
    database.exec(`PRAGMA synchronous = ${durable ? 'FULL' : 'NORMAL'}`);
    return database;
  } catch (error) {
    database.close();
    throw error;
  }
}

/** SQLite does not wait, whatever the busy timeout, where two processes make the same new database a WAL one at the same moment. */
function patiently(timeout: number, work: () => void): void {
  for (const end = Date.now() + timeout; ; ) {
    try {
      work();
      return;
    } catch (error) {
      if (!(error instanceof StoreBusy) || Date.now() > end) throw error;
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 5);
    }
  }
}

/** Runs `work` in one `BEGIN IMMEDIATE` transaction: a plain BEGIN fails under concurrent writers whatever the busy timeout. */
export function transaction<T>(database: Database, work: () => T): T {
  database.exec('BEGIN IMMEDIATE');
  try {
    const result = work();
    database.exec('COMMIT');
    return result;
  } catch (error) {
    try {
      database.exec('ROLLBACK');
    } catch {
      // SQLite has already rolled back (disk full, I/O error): the first error is the one to tell.
    }
    throw error;
  }
}

/** The sentence for what SQLite or the file system said about a database. */
function storeError(path: string, cause: unknown): StoreError {
  const code = String((cause as { code?: unknown }).code ?? '');
  const message = cause instanceof Error ? cause.message : String(cause);
  const says = (pattern: RegExp) => pattern.test(code) || pattern.test(message);
  if (says(/SQLITE_BUSY|database is locked/)) {
    return new StoreBusy(`The store ${path} is locked by another process.`, 'Try again when that process has ended.', { cause });
  }
  if (says(/SQLITE_FULL|ENOSPC|disk is full/)) {
    return new StoreError(`The disk is full: the store ${path} could not be written.`, 'Free some space and try again.', {
      cause,
    });
  }
  if (says(/SQLITE_CORRUPT|SQLITE_NOTADB|malformed|not a database/)) {
    return new StoreDamaged(`The store ${path} is damaged.`, 'Restore it from a backup, or move it away to start a new one.', {
      cause,
    });
  }
  return new StoreError(`The store ${path} cannot be used: ${message}.`, 'Check that the folder exists and is yours to write.', {
    cause,
  });
}

/**
 * Node's own SQLite opens in 1 ms, better-sqlite3 in 8, which every commit would wait for. That one is for a Node that was built without.
 */
function connect(path: string, timeout: number): Database {
  const builtin = builtinDriver();
  if (builtin !== null) return new builtin(path, { timeout });
  const Driver = createRequire(import.meta.url)('better-sqlite3') as new (path: string, options: object) => Database;
  return new Driver(path, { timeout });
}

function builtinDriver(): (new (path: string, options: object) => Database) | null {
  const { emitWarning } = process;
  // Node 22 and the first releases of 24 call it experimental, on the stderr of each commit.
  process.emitWarning = () => {};
  try {
    return (
      (process.getBuiltinModule('node:sqlite')?.DatabaseSync as unknown as ReturnType<typeof builtinDriver> | undefined) ?? null
    );
  } finally {
    process.emitWarning = emitWarning;
  }
}
