import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { CONFIG_PATH, fingerprintOf, readSharedStore, trust } from '../config/shared-store.ts';
import { UserError } from '../errors.ts';
import type { Repository } from '../git/repository.ts';
import { writeSnapshotFile } from '../git/snapshot-folder.ts';
import { messages } from '../messages.ts';
import { openSharedStore } from '../storage/registry.ts';

/**
 * Writes the store of the team into the settings of the repository, to be committed, and agrees to it for this clone.
 * @returns what the person has to do now.
 * @throws UserError for a URL that is not understood, and where the file cannot be written.
 */
export async function nameStore(repository: Repository, url: string): Promise<string[]> {
  await (await openSharedStore(url, repository.top)).close(); // understood? nothing is asked of it yet
  const settings = readSettingsFile(join(repository.top, CONFIG_PATH));
  writeSnapshotFile(
    repository.top,
    CONFIG_PATH,
    Buffer.from(`${JSON.stringify({ version: 1, ...settings, store: url }, null, 2)}\n`),
  );
  await trust(repository, { fingerprint: fingerprintOf(url) });
  return [messages.storeNamed(url, CONFIG_PATH)];
}

/**
 * Asks the person for consent to the store that the repository names, where there is one and they have not agreed to it yet.
 * @param trusting they have agreed on the command line (`--trust`).
 * @param ask null where there is nobody to ask.
 * @returns sentences worth knowing.
 */
export async function agreeToStore(
  repository: Repository,
  { trusting, ask }: { trusting: boolean; ask: ((question: string) => Promise<boolean>) | null },
): Promise<string[]> {
  const shared = await readSharedStore(repository);
  if (shared === null) return trusting ? [messages.noStoreToTrust] : [];
  if (shared.trusted) return [];
  const agreed = trusting || (ask !== null && (await ask(messages.agreeToStore(shared.url))));
  if (!agreed) return [messages.notTrustedYet(shared.url)];
  await trust(repository, shared);
  return [messages.storeTrusted(shared.url)];
}

function readSettingsFile(path: string): object {
  let text: string;
  try {
    text = readFileSync(path, 'utf8');
  } catch {
    return {}; // not there yet
  }
  try {
    const settings = JSON.parse(text) as unknown;
    if (typeof settings === 'object' && settings !== null && !Array.isArray(settings)) return settings;
  } catch {
    // told below
  }
  throw new UserError(`${CONFIG_PATH} is no JSON object.`, 'Mend or remove it, then run this again.');
}
