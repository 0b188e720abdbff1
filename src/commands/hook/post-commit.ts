import { dataDir } from '../../config/settings.ts';
import { healIndex } from '../../git/healing.ts';
import { readHistory } from '../../git/history.ts';
import { gitText } from '../../git/git.ts';
import { openRepository, readHead } from '../../git/repository.ts';
import { isReplaying } from '../../git/state.ts';
import { openStores } from '../../storage/open.ts';

/**
 * `post-commit`: heals the index where the commit was made from another one, and notes which commit owns which context, or that no
 * capture saw this commit (`--no-verify`): the next context then covers it.
 */
export async function postCommit(): Promise<void> {
  const repository = await openRepository();
  await healIndex(repository);
  const [head] = await readHistory(['HEAD'], repository.top, ['-1']);
  if (head === undefined) return;
  const stores = await openStores({ dataDir: dataDir(), commonDir: repository.commonDir });
  try {
    const { state } = stores;
    const owned = head.snapshots.map(({ path }) => path.slice(path.lastIndexOf('/') + 1, -'.json'.length));
    if (owned.length > 0) return state.committed(repository.top, owned, head.commit);
    const before = await gitText(['rev-parse', '--verify', '--quiet', 'HEAD@{1}'], { cwd: repository.top }).catch(() => head.parents[0] ?? '');
    const seen = state.lookedHead(repository.top) === before;
    if (seen || isReplaying(repository)) return;
    state.noteUncovered(repository.top, head.commit);
    // Where no capture ever looked, the next one would look from this commit on, and miss what was said for it.
    if (state.lookedAt(repository.top) === null) state.looked(repository.top, ((await readHead(repository.top, before))?.time ?? 0) * 1000, '');
  } finally {
    await stores.close();
  }
}
