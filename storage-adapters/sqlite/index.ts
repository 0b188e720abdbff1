import { randomUUID } from 'node:crypto';
import type { BlobStore } from '../../src/storage/blob-store.ts';
import { type Database, openDatabase, type Statement, transaction } from './database.ts';

// With rowids: the index of the keys stays small, so that whether a key is there is told without reading past blobs.
const SCHEMA = `
CREATE TABLE IF NOT EXISTS object (key TEXT PRIMARY KEY NOT NULL, bytes BLOB NOT NULL, created_at TEXT NOT NULL);
CREATE TABLE IF NOT EXISTS store (name TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;
`;

interface Waiting {
  key: string;
  bytes: Buffer;
  resolve: () => void;
  reject: (error: unknown) => void;
}

/**
 * The embedded store: one SQLite database, shared by all clones and worktrees of a user.
 * @param path of the database file; it and its folder are made when missing.
 * @param timeout how long to wait for another process's lock, milliseconds.
 */
export function sqliteStore({ path, timeout = 5000 }: { path: string; timeout?: number }): BlobStore {
  const database = openDatabase(path, { timeout, durable: true });
  const id = prepareStore(database);
  const statements = {
    put: database.prepare('INSERT OR IGNORE INTO object (key, bytes, created_at) VALUES (?, ?, ?)'),
    replace: database.prepare('UPDATE object SET bytes = ? WHERE key = ? AND bytes = ?'),
    get: database.prepare('SELECT bytes FROM object WHERE key = ?'),
    has: database.prepare('SELECT key FROM object WHERE key IN (SELECT value FROM json_each(?))'),
    list: database.prepare('SELECT key FROM object WHERE key >= ? AND key < ?'),
    entries: database.prepare('SELECT key, length(bytes) AS bytes, created_at FROM object WHERE key >= ? AND key < ?'),
    // SQLite makes NULL of the beginning of an empty value.
    peek: database.prepare("SELECT coalesce(substr(bytes, 1, ?), x'') AS bytes FROM object WHERE key = ?"),
    delete: database.prepare('DELETE FROM object WHERE key = ?'),
  };

  // Puts of one tick share a transaction and so one fsync: a capture costs one, not one for each blob.
  let waiting: Waiting[] = [];
  let closed = false;
  const flush = () => {
    const batch = waiting;
    waiting = [];
    try {
      const now = new Date().toISOString();
      transaction(database, () => batch.forEach(({ key, bytes }) => statements.put.run(key, bytes, now)));
      batch.forEach(({ resolve }) => resolve());
    } catch (error) {
      batch.forEach(({ reject }) => reject(error));
    }
  };

  return {
    url: `sqlite://${path}`,
    id: async () => id,
    put: (key, bytes) =>
      new Promise((resolve, reject) => {
        if (waiting.length === 0) setImmediate(flush);
        waiting.push({ key, bytes, resolve, reject });
      }),
    replace: async (key, was, bytes) => {
      statements.replace.run(bytes, key, was);
    },
    get: async (key) => bufferOf(statements.get.get(key)),
    peek: async (key, length) => bufferOf(statements.peek.get(length, key)),
    has: async (keys) => new Set(statements.has.all(JSON.stringify(keys)).map(({ key }) => key as string)),
    async *list(prefix) {
      for (const row of statements.list.all(prefix, `${prefix}\u{10ffff}`)) yield row['key'] as string;
    },
    async *entries(prefix) {
      for (const { key, bytes, created_at } of statements.entries.all(prefix, `${prefix}\u{10ffff}`))
        yield { key: key as string, bytes: bytes as number, modified: Date.parse(created_at as string) };
    },
    delete: async (key) => {
      statements.delete.run(key);
    },
    compact: async () => {
      database.exec('VACUUM');
      database.prepare('PRAGMA wal_checkpoint(TRUNCATE)').all();
    },
    close: async () => {
      if (waiting.length > 0) flush();
      if (!closed) database.close();
      closed = true;
    },
  };
}

function bufferOf(row: ReturnType<Statement['get']>): Buffer | null {
  const bytes = row?.['bytes'] as Uint8Array<ArrayBuffer> | undefined;
  return bytes === undefined ? null : Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}

function prepareStore(database: Database): string {
  const read = () => database.prepare("SELECT value FROM store WHERE name = 'id'").get()?.['value'] as string | undefined;
  try {
    const id = read();
    if (id !== undefined) return id;
  } catch {
    // No such table: the database is new.
  }
  return transaction(database, () => {
    database.exec(SCHEMA);
    database.prepare("INSERT OR IGNORE INTO store (name, value) VALUES ('id', ?)").run(randomUUID());
    return read() as string;
  });
}
