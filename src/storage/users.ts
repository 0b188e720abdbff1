import { damaged } from '../core/envelope.ts';
import { sha256 } from '../core/hash.ts';
import { openRecord } from '../core/tombstone.ts';
import { StoreError } from '../errors.ts';
import type { BlobStore } from './blob-store.ts';
import { putRecord } from './removals.ts';

const USERS = 'repositories/';
const userKey = (commonDir: string): string => `${USERS}${sha256(commonDir)}`;

/** Notes in the embedded store which repository uses it: nothing that one of them names may be removed for another. */
export async function registerUser(store: BlobStore, commonDir: string): Promise<void> {
  const key = userKey(commonDir);
  try {
    if ((await store.has([key])).size === 0) await putRecord(store, key, { dir: commonDir });
  } catch (error) {
    if (!(error instanceof StoreError)) throw error; // who can only read: told when something is written
  }
}

/** The git directories of all repositories that use the embedded store, gone ones too. */
export async function usersOf(store: BlobStore): Promise<string[]> {
  const dirs: string[] = [];
  for await (const key of store.list(USERS)) {
    const bytes = await store.get(key);
    if (bytes === null) continue;
    const record = openRecord<{ dir: string }>(key, bytes);
    if (record === null) throw damaged(key);
    dirs.push(record.dir);
  }
  return dirs.sort();
}

export async function forgetUser(store: BlobStore, commonDir: string): Promise<void> {
  await store.delete(userKey(commonDir));
}
