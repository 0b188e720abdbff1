import { dataDir } from '../../config/settings.ts';
import { readHistory } from '../../git/history.ts';
import { openRepository } from '../../git/repository.ts';
import { openStores } from '../../storage/open.ts';

/** A rewrite is seldom longer than this; what lies further back is found when it is asked for. */
const RECENT = 500;

/** `post-rewrite` (amend, rebase): notes anew which commits own the contexts that were captured here. */
export async function postRewrite(): Promise<void> {
  const repository = await openRepository();
  const stores = await openStores({ dataDir: dataDir(), commonDir: repository.commonDir });
  try {
    const { state } = stores;
    const here = new Map(state.ownedContexts().map(({ path, context_id }) => [path, context_id]));
    for (const { commit, snapshots } of await readHistory(['HEAD'], repository.top, ['-n', String(RECENT)])) {
      for (const { path } of snapshots) {
        const id = here.get(path);
        if (id !== undefined) state.moveOwner(id, commit);
      }
    }
  } finally {
    await stores.close();
  }
}
