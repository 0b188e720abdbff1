import { join } from 'node:path';
import type { TestRepo } from './repo.ts';

/** The database of the store of a repository's user. */
export function storePath({ home }: TestRepo): string {
  return join(home, '.local', 'share', 'cc-context', 'store.db');
}

/** The database of a repository's local state. */
export function statePath({ dir }: TestRepo): string {
  return join(dir, '.git', 'cc-context', 'state.db');
}
