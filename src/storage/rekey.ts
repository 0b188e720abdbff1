import type { TeamKey } from '../core/team-key.ts';
import { IntegrityError } from '../errors.ts';
import type { BlobStore } from './blob-store.ts';
import { otherKey } from './encrypted-store.ts';
import { kindOfName, openName, sealName } from './sealed-name.ts';
import { openObject, sealObject } from './sealed-object.ts';

/** Objects that are encrypted anew at the same time. */
const AT_ONCE = 8;

/** An object of a store that is not encrypted with the newest key. */
export interface Outdated {
  name: string;
  /** The key that it stands under. */
  key: string;
  /** What it is encrypted with, null when it is plain. */
  by: TeamKey | null;
}

/** What a store holds, as seen by a change of keys. */
export interface KeyState {
  outdated: Outdated[];
  /** The names under the newest key. */
  current: Set<string>;
  /** What can be neither encrypted anew nor left without a word. */
  problems: IntegrityError[];
}

/**
 * Finds what is not encrypted with the newest key. One listing of the whole store.
 * @param store as it is, without encryption around it.
 * @param keys the newest first.
 */
export async function keyState(store: BlobStore, keys: [TeamKey, ...TeamKey[]]): Promise<KeyState> {
  const [newest] = keys;
  const state: KeyState = { outdated: [], current: new Set(), problems: [] };
  const foreign = new Set<string>();
  for await (const name of store.list('')) {
    const { key_id } = kindOfName(name);
    const by = keys.find(({ id }) => id === key_id) ?? null;
    const key = by === null ? name : openName(name, by);
    if (key_id !== null && by === null) foreign.add(key_id);
    else if (key === null) state.problems.push(new IntegrityError(`The object ${name} in ${store.url} is none of cc-context's.`));
    else if (by === newest) state.current.add(name);
    else state.outdated.push({ name, key, by });
  }
  if (foreign.size > 0) state.problems.push(otherKey(store.url, foreign, keys));
  return state;
}

/**
 * Encrypts objects with the newest key. Each one is written and read back before the old one is deleted: killed at any moment,
 * each is there under one key or under both, and whoever holds both can read it. It begins again where it was, and is harmless to do twice.
 * @param keep leave the old ones too, for those who have only the old key.
 * @returns how many it was done for, and what is wrong with those that were left as they were.
 * @throws StoreError
 */
export async function rekey(
  store: BlobStore,
  [newest]: [TeamKey, ...TeamKey[]],
  { outdated, current }: KeyState,
  { keep = false, onProgress = () => {} }: { keep?: boolean; onProgress?: (objects: number, of: number) => void } = {},
): Promise<{ moved: number; problems: IntegrityError[] }> {
  const problems: IntegrityError[] = [];
  let moved = 0;
  const left = [...outdated];
  let done = 0;
  const move = async ({ name, key, by }: Outdated) => {
    const target = sealName(key, newest);
    const bytes = await store.get(name);
    if (bytes === null) return; // somebody else has moved or removed it
    const content = by === null ? bytes : openObject(bytes, key, by);
    if (!current.has(target)) await store.put(target, sealObject(content, key, newest));
    const copy = await store.get(target);
    if (copy === null) throw vanished(name, store.url);
    openObject(copy, key, newest); // another one's, perhaps in another form: what counts is that it is whole
    if (!keep) await store.delete(name);
    moved += 1;
  };
  const worker = async () => {
    for (let next = left.shift(); next !== undefined; next = left.shift()) {
      try {
        await move(next);
      } catch (error) {
        if (!(error instanceof IntegrityError)) throw error;
        problems.push(error);
      }
      done += 1;
      onProgress(done, outdated.length);
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, worker));
  return { moved, problems };
}

function vanished(name: string, url: string): IntegrityError {
  return new IntegrityError(`What was written for the object ${name} in ${url} is not there; the object was left as it is.`);
}
