import { readSharedStore } from '../config/shared-store.ts';
import { type CommitContexts, contextsOf } from '../context/of-commits.ts';
import { withStores } from '../context/stores.ts';
import { type Problem, verifyContexts } from '../context/verify.ts';
import { purgedSentence, type Removal } from '../core/tombstone.ts';
import { openRepository } from '../git/repository.ts';
import { keepingMessages as messages } from '../messages.ts';
import { showProgress } from '../ui/progress.ts';
import { directoryOf, type Options, type Output } from '../ui/run.ts';
import { plural } from '../ui/words.ts';
import { requireSharedStore } from './push.ts';

export interface VerifyOptions {
  cwd: string;
  /** The commits whose contexts are verified: those of all branches and tags by default. */
  range?: string | undefined;
  /** Which store is read: that of this machine, the team's, or as a restore does it, the team's for what is not here. */
  where: 'local' | 'shared' | 'both';
  onProgress?: (objects: number, of: number, bytes: number) => void;
}

export interface VerifyResult {
  store: string;
  commits: number;
  contexts: number;
  manifests: number;
  blobs: number;
  /** Bytes of the conversations, each chunk once. */
  bytes: number;
  problems: Problem[];
  /** What is not there on purpose. */
  purged: Removal[];
}

/** Reads everything that commits name, and checks every hash. Changes nothing in a store but what is known of purges. @throws UserError, StoreError */
export async function verify({ cwd, range, where, onProgress }: VerifyOptions): Promise<VerifyResult> {
  const repository = await openRepository(cwd);
  const shared = where === 'shared' ? await requireSharedStore(repository) : await readSharedStore(repository);
  const commits = (await contextsOf([range ?? '--all'], repository.top)).filter(isConcerned);
  return await withStores(repository, async (stores) => {
    const { verified, problems, purged } = await verifyContexts(commits, stores, { where, shared, onProgress });
    const { manifests, blobs, bytes } = verified;
    const contexts = new Set(commits.flatMap((commit) => commit.contexts.map(({ context_id }) => context_id))).size;
    const names = { local: [stores.blobs.url], shared: [shared?.url], both: [stores.blobs.url, shared?.url] }[where];
    const store = names.filter((url) => url !== undefined).join(', ');
    return { store, commits: commits.length, contexts, manifests, blobs, bytes, problems, purged };
  });
}

const isConcerned = ({ contexts, problems }: CommitContexts): boolean => contexts.length + problems.length > 0;

/** The result as a person reads it. */
export function renderVerified(result: VerifyResult): string {
  const { problems, purged } = result;
  const about = messages.whole(result);
  return [
    problems.length === 0 ? `✓ Whole: ${about}` : `✗ ${plural(problems.length, 'problem')}: ${about}`,
    ...problems.map(({ sentence }) => `  - ${sentence}`),
    ...purged.map((one) => `  ${purgedSentence(one)}`),
  ].join('\n');
}

/** `cc-context verify [range]`. */
export async function verifyCommand(range: string | undefined, options: Options): Promise<Output> {
  const progress = showProgress(true);
  try {
    const data = await verify({
      cwd: directoryOf(options),
      range,
      where: options['local'] === true ? 'local' : options['shared'] === true ? 'shared' : 'both',
      onProgress: (...how) => progress.show(messages.verifying(...how)),
    });
    return { data, text: renderVerified(data), code: data.problems.length === 0 ? 0 : 1 };
  } finally {
    progress.end();
  }
}
