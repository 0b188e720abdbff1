import { readFileSync, rmSync } from 'node:fs';
import type { Restored } from '../../src/commands/restore.ts';
import type { Workplace } from './workplace.ts';

/** The transcript that cc-restore makes of a commit's only session (or of the named one): an exact copy of what was captured. Leaves no trace. */
export function restoredTranscript(work: Workplace, commit = 'HEAD', session?: string): Buffer {
  const options = session === undefined ? [] : ['--session', session];
  const { sessions } = work.json<Restored>('restore', commit, '--yes', ...options);
  const [made] = sessions as [{ session_id: string; path: string }];
  const bytes = readFileSync(made.path);
  rmSync(made.path);
  rmSync(made.path.slice(0, -'.jsonl'.length), { recursive: true, force: true });
  return bytes;
}
