import { spawn } from 'node:child_process';
import { dirname, join } from 'node:path';
import type { Progress } from '../../capture/read-file.ts';
import { mayHaveSharedStore } from '../../config/git-config.ts';
import { dataDir, readSettings } from '../../config/settings.ts';
import { IntegrityError, TranscriptGone } from '../../errors.ts';
import { healIndex } from '../../git/healing.ts';
import { type HistoryCommit, readHistory } from '../../git/history.ts';
import { headBefore, openRepository, type Repository, readHead } from '../../git/repository.ts';
import { isReplaying } from '../../git/state.ts';
import type { ContextStore } from '../../storage/context-store.ts';
import type { LocalState } from '../../storage/local-state.ts';
import { type OpenStores, openStores } from '../../storage/open.ts';

/**
 * `post-commit`: heals the index where the commit was made from another one, and notes which commit owns which context, or that no
 * capture saw it (`--no-verify`): the next context then covers it. Then it packs what `pre-commit` stored loose.
 * @param commit the commit that was made; HEAD may be elsewhere by now.
 */
export async function postCommit(commit: string = 'HEAD'): Promise<void> {
  const repository = await openRepository();
  await healIndex(repository);
  const [made] = await readHistory([commit], repository.top, ['-1']);
  if (made === undefined) return;
  const stores = await openStores<Progress>({ dataDir: dataDir(), commonDir: repository.commonDir });
  try {
    await note(made, repository, stores.state);
    await packLoose(stores, repository.top);
  } finally {
    await stores.close();
  }
  if (await mayHaveSharedStore(repository.top)) uploadInBackground(repository.top);
}

/** In a process of its own: what it takes to talk to a team's store is not in the bundle that commits wait for. */
function uploadInBackground(top: string): void {
  const program = join(dirname(process.argv[1] as string), '..', 'bin', 'cc-context.js');
  spawn(process.execPath, [program, 'push', '--background'], { cwd: top, detached: true, stdio: 'ignore' }).unref();
}

async function note(made: HistoryCommit, repository: Repository, state: LocalState<unknown>): Promise<void> {
  const owned = made.snapshots.map(({ path }) => path.slice(path.lastIndexOf('/') + 1, -'.json'.length));
  if (owned.length > 0) return state.committed(repository.top, owned, made.commit);
  const before = (await headBefore(made.commit, repository.top)) ?? made.parents[0] ?? '';
  const looked = state.lookedHead(repository.top);
  // Looked from the commit itself: the next one is being made already, and takes what this one left.
  const seen = looked === before || looked === made.commit;
  if (seen || isReplaying(repository)) return;
  state.noteUncovered(repository.top, made.commit);
  // Where no capture ever looked, the next one would look from this commit on, and miss what was said for it.
  if (state.lookedAt(repository.top) === null)
    state.looked(repository.top, ((await readHead(repository.top, before))?.time ?? 0) * 1000, '');
}

/** Packs what pre-commit stored loose, so that the commit did not wait for it. That reads what was stored before: where it is damaged, it is mended. */
async function packLoose({ contexts, state }: OpenStores<Progress>, top: string): Promise<void> {
  const chunks = state.looseChunks();
  if (chunks.length === 0) return;
  for (const chunk of chunks) {
    try {
      await contexts.pack(chunk);
    } catch (error) {
      if (!(error instanceof IntegrityError)) throw error;
      await mendFilesWith(chunk.hash, contexts, state, top);
    }
  }
  state.packed(chunks);
}

async function mendFilesWith(hash: string, store: ContextStore, state: LocalState<Progress>, top: string): Promise<void> {
  const [{ mendFile }, { redact }] = await Promise.all([import('../../capture/read-file.ts'), readSettings(top)]);
  for (const [path, progress] of state.filesWith(hash)) {
    try {
      await mendFile(path, progress, { store, redact, deadline: Number.POSITIVE_INFINITY });
    } catch (error) {
      if (!(error instanceof TranscriptGone)) throw error; // then only a backup has it
    }
  }
}
