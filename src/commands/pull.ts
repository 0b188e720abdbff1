import { honourRemovals } from '../context/honour.ts';
import { contextsOf } from '../context/of-commits.ts';
import { sessionsOf } from '../context/sessions.ts';
import { withStores } from '../context/stores.ts';
import type { ManifestSession } from '../core/manifest.ts';
import type { Snapshot } from '../core/snapshot.ts';
import { purgedSentence } from '../core/tombstone.ts';
import { Purged } from '../errors.ts';
import { openRepository } from '../git/repository.ts';
import { keepingMessages, messages } from '../messages.ts';
import type { BlobStore } from '../storage/blob-store.ts';
import type { ContextStore } from '../storage/context-store.ts';
import { showProgress } from '../ui/progress.ts';
import { directoryOf, type Options, type Output } from '../ui/run.ts';
import { requireSharedStore } from './push.ts';

export interface Pulled {
  store: string;
  contexts: number;
  /** Bytes of the conversations, as they are when they are read. */
  bytes: number;
  /** What is not to be had any more, one sentence each. */
  warnings: string[];
}

/**
 * Fetches the contexts of commits from the team's store, so that they can be read without a network. Each is verified.
 * @throws UserError, StoreError, IntegrityError
 */
export async function pull(
  cwd: string,
  range: string,
  onProgress: (contexts: number, of: number) => void = () => {},
): Promise<Pulled> {
  const repository = await openRepository(cwd);
  const shared = await requireSharedStore(repository);
  const contexts = (await contextsOf([range], repository.top)).flatMap((commit) => commit.contexts);
  return await withStores(repository, async (stores) => {
    const store = stores.contexts;
    const { purges } = await honourRemovals(stores, stores.remote as BlobStore, shared);
    const warnings = new Set(purges.map((one) => keepingMessages.purgedHere(purgedSentence(one), one.sessions)));
    let bytes = 0;
    for (const [at, context] of contexts.entries()) {
      for (const session of await unlessPurged(context, store, warnings)) {
        for (const file of session.files) for await (const part of store.readFile(file)) bytes += part.length;
      }
      onProgress(at + 1, contexts.length);
    }
    return { store: shared.url, contexts: contexts.length, bytes, warnings: [...warnings] };
  });
}

async function unlessPurged(context: Snapshot, store: ContextStore, warnings: Set<string>): Promise<ManifestSession[]> {
  try {
    return await sessionsOf([context], store);
  } catch (error) {
    if (!(error instanceof Purged)) throw error;
    warnings.add(error.message);
    return [];
  }
}

/** `cc-context pull [range]`. */
export async function pullCommand(range: string, options: Options): Promise<Output> {
  const progress = showProgress(true);
  try {
    const data = await pull(directoryOf(options), range, (count, of) => progress.show(messages.downloading(count, of)));
    return { data, text: messages.pulled(data), warnings: data.warnings };
  } finally {
    progress.end();
  }
}
