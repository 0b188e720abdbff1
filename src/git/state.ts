import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { Repository } from './repository.ts';

/** True while Git replays commits by itself: it makes commits of its own, which already carry their contexts. */
export function isReplaying(repository: Repository, env: NodeJS.ProcessEnv = process.env): boolean {
  const rebasing = ['rebase-merge', 'rebase-apply'].some((name) => existsSync(join(repository.gitDir, name)));
  // A commit that a person makes by hand at a stop of a rebase has no GIT_REFLOG_ACTION; `reword` has "rebase (reword)".
  return rebasing && /^(rebase|pull)/.test(env['GIT_REFLOG_ACTION'] ?? '');
}

/** True while a merge waits for its commit: merge commits have no context by design. */
export function isMerging(repository: Repository): boolean {
  return existsSync(join(repository.gitDir, 'MERGE_HEAD'));
}
