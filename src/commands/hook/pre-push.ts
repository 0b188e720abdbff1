import { readSharedStore, type SharedStore } from '../../config/shared-store.ts';
import { send, unsent, waiting } from '../../context/outbox.ts';
import { withStores } from '../../context/stores.ts';
import { UserError } from '../../errors.ts';
import { REFUSED } from '../../git/hooks/line.ts';
import { openRepository, type Repository } from '../../git/repository.ts';
import { messages } from '../../messages.ts';
import { printable } from '../../ui/columns.ts';
import { showProgress } from '../../ui/progress.ts';
import { manifestsOf } from '../push.ts';

/**
 * `pre-push`: uploads the contexts of the commits that the remote does not have, as far as they are on this machine. (Which of them are
 * pushed Git says on stdin, which is left to the hooks after this one: those of all branches and tags are uploaded.) And what waits still.
 * @param remote its name, or its URL where it has none.
 * @returns the exit code: not 0 only when the upload failed and the team has said that it must not (`push.require`).
 */
export async function prePush(remote: string): Promise<number> {
  const repository = await openRepository();
  const shared = await sharedStore(repository);
  if (shared === null) return 0;
  const progress = showProgress(true);
  const patience = new Patience(shared.url);
  try {
    if (!shared.trusted) throw new UserError(...messages.notTrusted(shared.url));
    const sending = withStores(repository, async (stores) => {
      const options = ['HEAD', '--branches', '--tags', '--not', `--remotes=${remote}`];
      // By the commits, not by what is noted of them: the post-commit of the last one may still be about it.
      const pushed = await unsent(await manifestsOf([], repository.top, options), stores, shared);
      // And what an earlier push left behind: its commits are on the remote by now.
      const all = [...new Set([...pushed, ...waiting(stores, shared)])];
      return await send(all, stores, shared, ({ objects, of, bytes }) => {
        patience.renew();
        progress.show(messages.uploading(objects, of, bytes));
      });
    });
    const [problem] = await Promise.race([sending, patience.ends]);
    if (problem !== undefined) throw problem;
    return 0;
  } catch (error) {
    progress.end();
    const sentence = error instanceof UserError ? error.sentence : messages.hookBroke(error);
    process.stderr.write(`${printable(messages.pushWithout(sentence, shared.require_push))}\n`);
    return shared.require_push ? REFUSED : 0;
  } finally {
    patience.stop();
    progress.end();
  }
}

/** Seconds without an object that arrived, and in all, that a push waits for its conversations. */
const [SILENT, LONGEST] = [20, 300];

/** Ends what takes too long: a push never stands still because of a store that does not answer. */
class Patience {
  /** Rejects when it is over. */
  readonly ends: Promise<never>;
  #renewed = Date.now();
  #timer: NodeJS.Timeout | undefined;

  constructor(url: string) {
    const begun = Date.now();
    this.ends = new Promise((_, reject) => {
      this.#timer = setInterval(() => {
        const [silent, all] = [Date.now() - this.#renewed, Date.now() - begun];
        if (silent > SILENT * 1000 || all > LONGEST * 1000)
          reject(new UserError(...messages.tooSlow(url, Math.round(silent / 1000))));
      }, 500);
    });
    this.ends.catch(() => {}); // told where it is raced
  }

  renew(): void {
    this.#renewed = Date.now();
  }

  stop(): void {
    clearInterval(this.#timer);
  }
}

/** What is committed may not be understood by this version, which is told but is no reason to refuse a push. */
async function sharedStore(repository: Repository): Promise<SharedStore | null> {
  try {
    return await readSharedStore(repository);
  } catch (error) {
    if (!(error instanceof UserError)) throw error;
    process.stderr.write(`${printable(messages.pushWithout(error.sentence, false))}\n`);
    return null;
  }
}
