import { contextsOf } from '../context/of-commits.ts';
import { sessionsOf } from '../context/sessions.ts';
import { withStores } from '../context/stores.ts';
import { openRepository } from '../git/repository.ts';
import { messages } from '../messages.ts';
import { showProgress } from '../ui/progress.ts';
import { directoryOf, type Options, type Output } from '../ui/run.ts';
import { requireSharedStore } from './push.ts';

export interface Pulled {
  store: string;
  contexts: number;
  /** Bytes of the conversations, as they are when they are read. */
  bytes: number;
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
  return await withStores(repository, async ({ contexts: store }) => {
    let bytes = 0;
    for (const [at, context] of contexts.entries()) {
      for (const session of await sessionsOf([context], store)) {
        for (const file of session.files) for await (const part of store.readFile(file)) bytes += part.length;
      }
      onProgress(at + 1, contexts.length);
    }
    return { store: shared.url, contexts: contexts.length, bytes };
  });
}

/** `cc-context pull [range]`. */
export async function pullCommand(range: string, options: Options): Promise<Output> {
  const progress = showProgress(true);
  try {
    const data = await pull(directoryOf(options), range, (count, of) => progress.show(messages.downloading(count, of)));
    return { data, text: messages.pulled(data) };
  } finally {
    progress.end();
  }
}
