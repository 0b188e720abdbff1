import { type Collection, collectHere, collectShared } from '../context/gc.ts';
import { openTeamStore, withStores } from '../context/stores.ts';
import { UserError } from '../errors.ts';
import { openRepository } from '../git/repository.ts';
import { keepingMessages as messages } from '../messages.ts';
import { showProgress } from '../ui/progress.ts';
import { directoryOf, type Options, type Output } from '../ui/run.ts';
import { requireSharedStore } from './push.ts';

export interface GcOptions {
  cwd: string;
  /** In the team's store instead of this machine's. */
  shared?: boolean | undefined;
  /** Remove it; else it is only said what would be. */
  prune?: boolean | undefined;
  /** What was put in the last so many days stays. */
  grace: number;
  /** Also contexts of which this clone cannot tell that they are this repository's. */
  foreign?: boolean | undefined;
  /** Repositories that are not there any more need nothing. */
  forgetMissing?: boolean | undefined;
  onProgress?: (objects: number) => void;
}

export interface GcResult extends Collection {
  shared: boolean;
  pruned: boolean;
  grace: number;
}

/** Finds what nothing names in a store, and with `prune` removes it. @throws UserError, IntegrityError, StoreError */
export async function gc(options: GcOptions): Promise<GcResult> {
  const { cwd, grace, shared = false, prune: pruned = false } = options;
  // Git would answer for that repository, whichever it is asked about.
  if (process.env['GIT_DIR']) throw new UserError('GIT_DIR is set, as inside a hook.', 'Run this outside of it: unset GIT_DIR');
  const repository = await openRepository(cwd);
  const about = { shared, pruned, grace };
  return await withStores(repository, async (stores) => {
    if (!shared) return { ...(await collectHere(stores, { ...options, prune: pruned })), ...about };
    const remote = await openTeamStore(await requireSharedStore(repository), repository);
    try {
      return { ...(await collectShared(stores, remote, repository, { ...options, prune: pruned })), ...about };
    } finally {
      await remote.close();
    }
  });
}

/** `cc-context gc`. */
export async function gcCommand(options: Options): Promise<Output> {
  const progress = showProgress(true);
  try {
    const data = await gc({
      cwd: directoryOf(options),
      shared: options['shared'] === true,
      prune: options['prune'] === true,
      grace: options['grace'] as number,
      foreign: options['foreign'] === true,
      forgetMissing: options['forgetMissing'] === true,
      onProgress: (objects) => progress.show(messages.checking(objects)),
    });
    return { data, text: messages.collected(data), warnings: data.warnings };
  } finally {
    progress.end();
  }
}
