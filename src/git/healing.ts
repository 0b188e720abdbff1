import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Repository } from './repository.ts';
import { indexesInPlay, pathsInTree, type StagedFile, snapshotFolderInIndex, updateIndexes } from './staging.ts';

/** Tells the post-commit shim that there is something to heal, so that it runs in the foreground only then. */
const marker = (repository: Repository) => join(repository.gitDir, 'cc-context-heal');

/**
 * Notes files that were staged into an index of the person's own (`GIT_INDEX_FILE=mine git commit`): the repository's index does not
 * have them, so that after the commit they would look deleted.
 */
export function leaveForHealing(repository: Repository, staged: StagedFile[]): void {
  writeFileSync(marker(repository), staged.map(({ oid, path }) => `${oid} ${path}\n`).join(''));
}

/** After the commit: gives the repository's own index, and the person's, what the commit has of the noted files. */
export async function healIndex(repository: Repository): Promise<void> {
  if (!existsSync(marker(repository))) return;
  const staged = readFileSync(marker(repository), 'utf8')
    .split('\n')
    .filter(Boolean)
    .map((line): StagedFile => ({ oid: line.slice(0, line.indexOf(' ')), path: line.slice(line.indexOf(' ') + 1) }));
  rmSync(marker(repository));
  const paths = staged.map(({ path }) => path);
  const committed = await pathsInTree('HEAD', paths, repository.top);
  const missing = staged.filter(({ path }) => committed.has(path));
  const indexes = new Set([join(repository.gitDir, 'index'), ...indexesInPlay(repository)]);
  if (missing.length === 0) return;
  for (const index of indexes) {
    // What the person tracks in its place there stays: it is theirs, and `git status` shows it.
    if ((await snapshotFolderInIndex(repository.top, index)).inTheWay === null)
      await updateIndexes([index], repository.top, missing, []);
  }
}
