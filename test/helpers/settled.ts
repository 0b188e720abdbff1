import { vi } from 'vitest';
import { openDatabase } from '../../storage-adapters/sqlite/database.ts';
import type { Workplace } from './workplace.ts';

/** Waits until nothing of the last commit goes on in the background: its owner is noted, and what it stored loose is packed. */
export async function settled(work: Workplace, cwd = work.dir): Promise<void> {
  const run = (...args: string[]) => work.run('git', args, { cwd }).stdout.trim();
  const commit = run('rev-parse', 'HEAD');
  const ids = work.contexts('HEAD', cwd);
  const database = openDatabase(run('rev-parse', '--path-format=absolute', '--git-path', 'cc-context/state.db'), {
    timeout: 20_000,
    durable: false,
  });
  try {
    const owned = database.prepare('SELECT 1 FROM capture WHERE context_id = ? AND git_commit = ?');
    const loose = database.prepare('SELECT 1 FROM loose');
    await vi.waitUntil(() => ids.every((id) => owned.get(id, commit)) && loose.get() === undefined, {
      timeout: 20_000,
      interval: 20,
    });
  } finally {
    database.close();
  }
}
