import type { Progress } from '../capture/read-file.ts';
import { readSharedStore, type SharedStore } from '../config/shared-store.ts';
import { contextsOf } from '../context/of-commits.ts';
import { send, unsent, waiting } from '../context/outbox.ts';
import { withStores } from '../context/stores.ts';
import { UserError } from '../errors.ts';
import { openRepository, type Repository, readHead } from '../git/repository.ts';
import { messages } from '../messages.ts';
import type { OpenStores } from '../storage/open.ts';
import type { UploadProgress } from '../storage/upload.ts';
import { showProgress } from '../ui/progress.ts';
import { directoryOf, type Options, type Output } from '../ui/run.ts';

export interface PushOptions {
  cwd: string;
  /** Only the contexts of these commits; all that wait by default. */
  range?: string | undefined;
  onProgress?: (progress: UploadProgress) => void;
}

export interface Pushed {
  /** Where to, without secrets. */
  store: string;
  contexts: number;
  objects: number;
  bytes: number;
  /** Contexts that are not whole on this machine, one sentence each. */
  problems: string[];
}

/** Uploads contexts to the team's store. @throws UserError, StoreError */
export async function push({ cwd, range, onProgress }: PushOptions): Promise<Pushed> {
  const repository = await openRepository(cwd);
  const shared = await requireSharedStore(repository);
  return await withStores(repository, async (stores) => {
    const named =
      range === undefined ? await everythingUnsent(stores, shared, repository) : await manifestsOf([range], repository.top);
    let last: UploadProgress = { objects: 0, of: 0, bytes: 0 };
    const problems = await send(named, stores, shared, (progress) => {
      last = progress;
      onProgress?.(progress);
    });
    const left = new Set(waiting(stores, shared));
    const contexts = named.filter((hash) => !left.has(hash)).length;
    const { objects, bytes } = last;
    return { store: shared.url, contexts, objects, bytes, problems: problems.map(({ sentence }) => sentence) };
  });
}

/** Commits whose post-commit may still be about noting what they own. */
const JUST_MADE = 20;

/** All that waits, and what the newest commits own, of which nothing may be noted yet. */
async function everythingUnsent(stores: OpenStores<Progress>, shared: SharedStore, { top }: Repository): Promise<string[]> {
  const latest = (await readHead(top)) === null ? [] : await manifestsOf(['HEAD'], top, ['-n', String(JUST_MADE)]);
  return [...new Set([...waiting(stores, shared), ...(await unsent(latest, stores, shared))])];
}

/** The team's store. @throws UserError where there is none, or none that the person agreed to. */
export async function requireSharedStore(repository: Parameters<typeof readSharedStore>[0]): Promise<SharedStore> {
  const shared = await readSharedStore(repository);
  if (shared === null) throw new UserError(...messages.noSharedStore);
  if (!shared.trusted) throw new UserError(...messages.notTrusted(shared.url));
  return shared;
}

/** Hashes of the manifests that commits own. */
export async function manifestsOf(revisions: string[], top: string, options: string[] = []): Promise<string[]> {
  const commits = await contextsOf(revisions, top, options);
  return [...new Set(commits.flatMap(({ contexts }) => contexts.map(({ manifest_hash }) => manifest_hash)))];
}

/** `cc-context push [range]`. */
export async function pushCommand(range: string | undefined, options: Options): Promise<Output> {
  const progress = showProgress(options['background'] !== true);
  try {
    const onProgress = ({ objects, of, bytes }: UploadProgress) => progress.show(messages.uploading(objects, of, bytes));
    const data = await push({ cwd: directoryOf(options), range, onProgress });
    return { data, text: messages.pushed(data), warnings: data.problems, code: data.problems.length > 0 ? 1 : 0 };
  } finally {
    progress.end();
  }
}
