import { CONFIG_PATH, encryptionIn, fingerprintOf, readSharedStore, trust } from '../config/shared-store.ts';
import { openStoreOf } from '../context/stores.ts';
import type { Repository } from '../git/repository.ts';
import { messages } from '../messages.ts';
import { checkSharedStore } from '../storage/registry.ts';
import { changeSettings } from './settings-file.ts';

/**
 * Writes the store of the team into the settings of the repository, to be committed, and agrees to it for this clone.
 * @returns what the person has to do now.
 * @throws UserError for a URL that is not understood, and where the file cannot be written.
 */
export async function nameStore(repository: Repository, url: string): Promise<string[]> {
  await (await openStoreOf(url, repository)).close(); // understood? nothing is asked of it yet
  const settings = changeSettings(repository.top, { store: url });
  await trust(repository, { fingerprint: fingerprintOf(url, encryptionIn(settings)) });
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
  await checkSharedStore(shared.url);
  const agreed = trusting || (ask !== null && (await ask(messages.agreeToStore(shared))));
  if (!agreed) return [messages.notTrustedYet(shared.url)];
  await trust(repository, shared);
  return [messages.storeTrusted(shared)];
}
