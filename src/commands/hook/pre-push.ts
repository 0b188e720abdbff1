import { readSharedStore, type SharedStore } from '../../config/shared-store.ts';
import { send, unsent } from '../../context/outbox.ts';
import { withStores } from '../../context/stores.ts';
import { UserError } from '../../errors.ts';
import { REFUSED } from '../../git/hooks/line.ts';
import { openRepository, type Repository } from '../../git/repository.ts';
import { messages } from '../../messages.ts';
import { showProgress } from '../../ui/progress.ts';
import { manifestsOf } from '../push.ts';

/**
 * `pre-push`: uploads the contexts of the commits that the remote does not have, as far as they are on this machine. (Which of them are
 * pushed Git says on stdin, which is left to the hooks after this one: those of all branches and tags are uploaded.)
 * @param remote its name, or its URL where it has none.
 * @returns the exit code: not 0 only when the upload failed and the team has said that it must not (`push.require`).
 */
export async function prePush(remote: string): Promise<number> {
  const repository = await openRepository();
  const shared = await sharedStore(repository);
  if (shared === null) return 0;
  const progress = showProgress(true);
  try {
    if (!shared.trusted) throw new UserError(...messages.notTrusted(shared.url));
    const problems = await withStores(repository, async (stores) => {
      const options = ['HEAD', '--branches', '--tags', '--not', `--remotes=${remote}`];
      // By the commits, not by what is noted of them: the post-commit of the last one may still be about it.
      const pushed = await unsent(await manifestsOf([], repository.top, options), stores, shared);
      return await send(pushed, stores, shared, ({ objects, of, bytes }) =>
        progress.show(messages.uploading(objects, of, bytes)),
      );
    });
    const [problem] = problems;
    if (problem !== undefined) throw problem;
    return 0;
  } catch (error) {
    progress.end();
    const sentence = error instanceof UserError ? error.sentence : messages.hookBroke(error);
    process.stderr.write(`${messages.pushWithout(sentence, shared.require_push)}\n`);
    return shared.require_push ? REFUSED : 0;
  } finally {
    progress.end();
  }
}

/** What is committed may not be understood by this version, which is told but is no reason to refuse a push. */
async function sharedStore(repository: Repository): Promise<SharedStore | null> {
  try {
    return await readSharedStore(repository);
  } catch (error) {
    if (!(error instanceof UserError)) throw error;
    process.stderr.write(`${messages.pushWithout(error.sentence, false)}\n`);
    return null;
  }
}
