import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { Repository } from './repository.ts';

/** True while Git replays commits by itself: it makes commits of its own, which already carry their contexts. */
export function isReplaying(repository: Repository, env: NodeJS.ProcessEnv = process.env): boolean {
  const rebasing = ['rebase-merge', 'rebase-apply'].some((name) => existsSync(join(repository.gitDir, name)));
  // The same rule as `replaying` in hooks/shared.sh. Git 2.39 sets GIT_REFLOG_ACTION for `reword` and `--apply`, and GIT_CHERRY_PICK_HELP for the picks of the merge backend; a commit
  // that a person makes by hand at a stop has neither.
  return rebasing && (/^(rebase|pull)/.test(env['GIT_REFLOG_ACTION'] ?? '') || env['GIT_CHERRY_PICK_HELP'] !== undefined);
}

/** True while a merge waits for its commit: merge commits have no context by design. */
export function isMerging(repository: Repository): boolean {
  return existsSync(join(repository.gitDir, 'MERGE_HEAD'));
}
