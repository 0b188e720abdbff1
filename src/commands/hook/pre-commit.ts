import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import type { CaptureOptions } from '../../capture/capture.ts';
import type { Progress } from '../../capture/read-file.ts';
import { configDir } from '../../claude/paths.ts';
import { dataDir, readSettings } from '../../config/settings.ts';
import { UserError } from '../../errors.ts';
import { takeAnswers } from '../../git/git.ts';
import { openRepository, type Repository } from '../../git/repository.ts';
import { isMerging, isReplaying } from '../../git/state.ts';
import { messages } from '../../messages.ts';
import { printable } from '../../ui/columns.ts';

/** What is left of the time box for staging once the reading stops (milliseconds). */
const FOR_STAGING = 300;

/**
 * `pre-commit`: captures the sessions behind the commit and stages their snapshot file. Says in a few lines what it did, or why not.
 * @param input `answers`: standard input has the answers to the first questions to Git.
 */
export async function preCommit(input?: string): Promise<void> {
  const started = Date.now();
  const [{ capture }, { OutOfTime }] = await Promise.all([
    import('../../capture/capture.ts'),
    import('../../capture/read-file.ts'),
    import('../../storage/open.ts'),
  ]);
  if (input === 'answers') takeAnswers(readFileSync(0));
  const [repository, settings] = await Promise.all([openRepository(), readSettings(process.cwd())]);
  if (isReplaying(repository) || isMerging(repository)) return;
  settings.warnings.forEach((warning) => say(messages.captureWarning(warning)));
  // Whatever hangs (a dead network drive, a lock), the commit goes on; a capture that is cut off here stored nothing by halves.
  setTimeout(() => {
    unfinished(settings.timeout);
    process.exit(0);
  }, settings.timeout + FOR_STAGING).unref();
  try {
    await withStores(
      repository,
      { deadline: started + settings.timeout - FOR_STAGING, redact: settings.redact },
      async (options) => {
        const { snapshot, warnings } = await capture(options);
        warnings.forEach((warning) => say(messages.captureWarning(warning)));
        if (snapshot !== null) say(messages.captured(snapshot));
      },
    );
  } catch (error) {
    if (error instanceof OutOfTime) {
      unfinished(settings.timeout);
    } else if (error instanceof UserError) {
      say(messages.captureFailed(error.sentence));
    } else throw error;
  }
}

/** What a capture that ran out of time starts: reads on without a time box, and without a word. */
export async function finishInBackground(): Promise<void> {
  const repository = await openRepository();
  const { redact } = await readSettings(repository.top);
  const { finishCapture } = await import('../../capture/capture.ts');
  await withStores(repository, { deadline: Number.POSITIVE_INFINITY, redact }, finishCapture);
}

async function withStores(
  repository: Repository,
  { deadline, redact }: { deadline: number; redact: boolean },
  work: (options: CaptureOptions) => Promise<void>,
): Promise<void> {
  const config = configDir();
  if (config === null) return;
  const patience = Number.isFinite(deadline) ? Math.max(100, (deadline - Date.now()) / 2) : 60_000;
  const { openStores } = await import('../../storage/open.ts');
  const stores = await openStores<Progress>({ dataDir: dataDir(), commonDir: repository.commonDir }, patience);
  try {
    const committing = process.env['CLAUDE_CODE_SESSION_ID'];
    await work({ repository, config, committing, redact, deadline, store: stores.contexts, state: stores.state });
  } finally {
    await stores.close();
  }
}

function unfinished(timeout: number): void {
  // Descriptors closed: a child that keeps stdout open hangs whoever captures the commit's output.
  spawn(process.execPath, [process.argv[1] as string, 'finish-capture'], { detached: true, stdio: 'ignore' }).unref();
  say(messages.captureUnfinished(timeout / 1000));
}

function say(text: string): void {
  process.stderr.write(`${printable(text)}\n`);
}
