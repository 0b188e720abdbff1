import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { readKeyFile, replaceKeyFile, writeNewKeyFile } from '../config/key-file.ts';
import { CONFIG_PATH, type Encryption, encryptionIn, readSharedStore } from '../config/shared-store.ts';
import { readTeamKeys } from '../config/team-keys.ts';
import { openStoreOf } from '../context/stores.ts';
import { newTeamKey, type TeamKey } from '../core/team-key.ts';
import { UserError } from '../errors.ts';
import { openRepository, type Repository } from '../git/repository.ts';
import { keyMessages } from '../messages.ts';
import { keyState, rekey } from '../storage/rekey.ts';
import { showProgress } from '../ui/progress.ts';
import { directoryOf, type Options, type Output } from '../ui/run.ts';
import { changeKey, refuseInWorkTree } from './key.ts';
import { requireSharedStore } from './push.ts';
import { readSettingsFile } from './settings-file.ts';

export interface RotateOptions {
  cwd: string;
  /** The key file that the new key is written into; by default the one that the keys come from. Absolute. */
  out?: string | undefined;
  /** Make no new key: only encrypt with the newest one what is not. */
  finish?: boolean;
  /** Leave the old objects, for those who do not have the new key yet. */
  keep?: boolean;
  onProgress?: (objects: number, of: number) => void;
}

export interface Rotated {
  /** What everything in the store is encrypted with now. */
  key_id: string;
  /** Whether that key was made now. */
  new_key: boolean;
  file: string;
  objects: number;
  kept: boolean;
  /** What could not be done, one sentence each. */
  problems: string[];
  /** The settings that were changed and are to be committed. */
  commit: string | null;
}

/**
 * Encrypts everything in the team's store with a new key. Where that was begun already (the newest key of the file is not the one that the
 * settings name, or there are objects under another one), it goes on with that and makes no other. The key is in the file before the
 * first object is encrypted with it.
 * @throws UserError, StoreError
 */
export async function rotate({ cwd, out, finish = false, keep = false, onProgress }: RotateOptions): Promise<Rotated> {
  const repository = await openRepository(cwd);
  const { url, encryption } = await requireEncryption(repository);
  const held = await readTeamKeys(repository, encryption);
  const file = out ?? held.file;
  if (file === null) throw new UserError(...keyMessages.whereToWrite);
  if (!existsSync(file)) await refuseInWorkTree(file);
  const inFile = existsSync(file) ? readKeyFile(file) : [];
  let keys = unique([...inFile, ...held.keys]);
  const store = await openStoreOf(url, repository);
  try {
    let state = await keyState(store, keys);
    const begun = state.outdated.length > 0 || (encryption.key_id !== null && encryption.key_id !== keys[0].id);
    const new_key = !begun && !finish;
    if (new_key) keys = [newTeamKey(), ...keys];
    if (keys.length > inFile.length) (inFile.length === 0 ? writeNewKeyFile : replaceKeyFile)(file, keys);
    if (new_key) state = await keyState(store, keys);
    const [{ id: key_id }] = keys;
    const { moved, problems } = await rekey(store, keys, state, { keep, ...(onProgress !== undefined && { onProgress }) });
    const changed = encryption.key_id !== null && encryption.key_id !== key_id;
    if (changed) await changeKey(repository, key_id);
    return {
      key_id,
      new_key,
      file,
      objects: moved,
      kept: keep && moved > 0,
      problems: [...state.problems, ...problems].map(({ sentence }) => sentence),
      commit: changed ? CONFIG_PATH : null,
    };
  } finally {
    await store.close();
  }
}

/** The team's store, which the person has agreed to and which is encrypted. @throws UserError */
async function requireEncryption(repository: Repository): Promise<{ url: string; encryption: Encryption }> {
  const shared = await readSharedStore(repository);
  if (shared?.source === 'committed') {
    const settings = readSettingsFile(repository.top);
    const changed = settings['version'] !== undefined && encryptionIn(settings)?.key_id !== shared.encryption?.key_id;
    if (changed) throw new UserError(...keyMessages.notCommitted(CONFIG_PATH));
  }
  const { url, encryption } = await requireSharedStore(repository);
  if (encryption === null) throw new UserError(...keyMessages.notEncrypted);
  return { url, encryption };
}

function unique(keys: TeamKey[]): [TeamKey, ...TeamKey[]] {
  return [...new Map(keys.map((key) => [key.id, key])).values()] as [TeamKey, ...TeamKey[]];
}

/** `cc-context key rotate`. */
export async function rotateKeyCommand(options: Options): Promise<Output> {
  const cwd = directoryOf(options);
  const progress = showProgress(true);
  try {
    const data = await rotate({
      cwd,
      out: options['out'] === undefined ? undefined : resolve(cwd, options['out'] as string),
      finish: options['finish'] === true,
      keep: options['keep'] === true,
      onProgress: (objects, of) => progress.show(keyMessages.rotating(objects, of)),
    });
    return { data, text: keyMessages.rotated(data), warnings: data.problems, code: data.problems.length > 0 ? 1 : 0 };
  } finally {
    progress.end();
  }
}
