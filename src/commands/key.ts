import { dirname, resolve } from 'node:path';
import { wrapText } from '../config/age.ts';
import { writeNewKeyFile } from '../config/key-file.ts';
import { CONFIG_PATH, encryptionIn, fingerprintOf, isTrusted, readSharedStore, trust } from '../config/shared-store.ts';
import { type HeldKeys, readTeamKeys, WRAPPED_PATH } from '../config/team-keys.ts';
import { formatTeamKeys, newTeamKey } from '../core/team-key.ts';
import { UserError } from '../errors.ts';
import { git } from '../git/git.ts';
import { openRepository, type Repository } from '../git/repository.ts';
import { writeSnapshotFile } from '../git/snapshot-folder.ts';
import { keyMessages } from '../messages.ts';
import { directoryOf, type Options, type Output } from '../ui/run.ts';
import { changeSettings, readSettingsFile } from './settings-file.ts';

/** Makes a key file. @throws UserError where it could be committed, or cannot be written. */
export async function newKey(file: string): Promise<{ file: string; key_id: string }> {
  await refuseInWorkTree(file);
  const key = newTeamKey();
  writeNewKeyFile(file, [key]);
  return { file, key_id: key.id };
}

/** @throws UserError when a file lies in a work tree and is not ignored. */
export async function refuseInWorkTree(file: string): Promise<void> {
  const { code } = await git(['check-ignore', '--quiet', file], { cwd: dirname(file) }).catch(() => ({ code: 128 })); // no such folder
  if (code === 1) throw new UserError(...keyMessages.couldBeCommitted(file)); // 0: ignored, 128: in no work tree
}

/** `cc-context key new --out FILE`. */
export async function newKeyCommand(options: Options): Promise<Output> {
  const data = await newKey(resolve(directoryOf(options), options['out'] as string));
  return { data, text: keyMessages.made(data.file, data.key_id) };
}

/** The keys that a person has for a repository, and the one that its settings name. @throws UserError */
async function heldFor(repository: Repository): Promise<{ held: HeldKeys; policy: string | null }> {
  const encryption = (await readSharedStore(repository))?.encryption ?? { key_id: null };
  return { held: await readTeamKeys(repository, encryption), policy: encryption.key_id };
}

/** `cc-context key show-id`. */
export async function showKeyCommand(options: Options): Promise<Output> {
  const { held, policy } = await heldFor(await openRepository(directoryOf(options)));
  const data = { key_ids: held.keys.map(({ id }) => id), sources: held.sources, policy };
  return { data, text: keyMessages.shown(data), warnings: held.warnings };
}

/** `cc-context key wrap <recipients>`: writes the keys, encrypted with age, into the work tree. */
export async function wrapKeyCommand(recipients: string[], options: Options): Promise<Output> {
  const repository = await openRepository(directoryOf(options));
  const { held } = await heldFor(repository);
  const wrapped = await wrapText(formatTeamKeys(held.keys), recipients);
  writeSnapshotFile(repository.top, WRAPPED_PATH, Buffer.from(wrapped));
  const data = { path: WRAPPED_PATH, recipients, key_ids: held.keys.map(({ id }) => id) };
  return { data, text: keyMessages.wrapped(WRAPPED_PATH, recipients.length), warnings: held.warnings };
}

/** `cc-context key require`: the settings of the team say that nothing is uploaded that is not encrypted, with the newest key of this person. */
export async function requireKeyCommand(options: Options): Promise<Output> {
  const repository = await openRepository(directoryOf(options));
  const held = await readTeamKeys(repository, { key_id: null });
  const [{ id }] = held.keys;
  await changeKey(repository, id);
  return { data: { key_id: id, path: CONFIG_PATH }, text: keyMessages.required(id, CONFIG_PATH), warnings: held.warnings };
}

/** Writes the id of the key into the settings that are to be committed. Whoever has agreed to them as they were agrees to this. */
export async function changeKey(repository: Repository, key_id: string): Promise<void> {
  const before = fingerprintIn(readSettingsFile(repository.top));
  const after = fingerprintIn(changeSettings(repository.top, { encryption: { required: true, key_id } }));
  if (before !== null && after !== null && (await isTrusted(repository, before))) await trust(repository, { fingerprint: after });
}

function fingerprintIn(settings: Record<string, unknown>): string | null {
  const { store } = settings;
  return typeof store === 'string' ? fingerprintOf(store, encryptionIn(settings)) : null;
}
