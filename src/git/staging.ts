import { existsSync } from 'node:fs';
import { basename, join, resolve } from 'node:path';
import { git, gitText } from './git.ts';
import type { Repository } from './repository.ts';

/** A file to be part of the commit that is being made. */
export interface StagedFile {
  /** Relative to the top of the work tree, with `/`. */
  path: string;
  /** Object name of the blob. */
  oid: string;
}

/** Writes a blob into the object database, untouched by any filter. @returns its object name. */
export async function writeBlob(bytes: Buffer, cwd: string): Promise<string> {
  return await gitText(['hash-object', '-w', '--stdin'], { cwd, input: bytes });
}

/**
 * The index files in play while `pre-commit` runs. `git commit -- path` builds the commit in `next-index-<pid>.lock`, and what will become
 * the index is `index.lock`; with `-a` both are `index.lock`.
 */
export function indexesInPlay(repository: Repository, env: NodeJS.ProcessEnv = process.env): string[] {
  const current = resolve(repository.top, env['GIT_INDEX_FILE'] ?? join(repository.gitDir, 'index'));
  const lock = join(repository.gitDir, 'index.lock');
  return basename(current).startsWith('next-index-') && existsSync(lock) ? [current, lock] : [current];
}

/** True when the commit is built from an index of the person's own, so that the real one has to be healed afterwards. */
export function usesForeignIndex(repository: Repository, env: NodeJS.ProcessEnv = process.env): boolean {
  const [current, lock] = indexesInPlay(repository, env) as [string, string?];
  // `GIT_INDEX_FILE=mine git commit -- path` locks mine.lock: a next-index without index.lock is the person's too.
  return lock === undefined && !['index', 'index.lock'].some((name) => current === join(repository.gitDir, name));
}

/**
 * Puts files into (and takes files out of) index files without touching anything else in them: `git add` would be refused by
 * `.gitignore`, run filters, and leave the other index behind.
 */
export async function updateIndexes(indexes: string[], top: string, add: StagedFile[], remove: string[]): Promise<void> {
  for (const index of indexes) {
    const update = async (option: string[], lines: string[]) => {
      if (lines.length === 0) return;
      await gitText(['update-index', '-z', ...option], {
        cwd: top,
        input: lines.map((line) => `${line}\0`).join(''),
        env: { GIT_INDEX_FILE: index },
      });
    };
    await update(['--force-remove', '--stdin'], remove);
    await update(
      ['--index-info'],
      add.map(({ oid, path }) => `100644 ${oid}\t${path}`),
    );
  }
}

/**
 * What index files track where these files or their folders belong: a file, a link or a submodule in place of a folder, or a folder in place
 * of a file. `update-index` would take it out without a word, and it may be absent from the work tree.
 * @returns its path, null when there is nothing of the kind.
 */
export async function entryInTheWay(paths: string[], indexes: string[], top: string): Promise<string | null> {
  const folders = new Set(paths.flatMap((path) => [...path.matchAll(/\//g)].map(({ index }) => path.slice(0, index))));
  // A pattern matches whole paths; a plain name would match all that lies below it.
  const pathspec = [...[...folders].map(exactly), ...paths.map((path) => `${exactly(path)}/**`)];
  for (const index of indexes) {
    const found = await gitText(['ls-files', '-z', '--full-name', '--', ...pathspec], {
      cwd: top,
      env: { GIT_INDEX_FILE: index },
    });
    const [first] = found.split('\0');
    if (first) return paths.find((path) => first.startsWith(`${path}/`)) ?? first;
  }
  return null;
}

const exactly = (path: string) => `:(top,glob)[${path[0]}]${path.slice(1)}`;

/** The paths among these that a tree has. */
export async function pathsInTree(tree: string, paths: string[], cwd: string): Promise<Set<string>> {
  if (paths.length === 0) return new Set();
  const { stdout } = await git(['ls-tree', '-z', '--name-only', '--full-tree', tree, '--', ...paths], { cwd });
  return new Set(stdout.toString('utf8').split('\0').filter(Boolean));
}

/** The paths among these that an index (by default that of the commit) has, with the object each names. */
export async function pathsInIndex(paths: string[], cwd: string, index?: string): Promise<Map<string, string>> {
  if (paths.length === 0) return new Map();
  const { stdout } = await git(['--literal-pathspecs', 'ls-files', '-z', '-s', '--full-name', '--', ...paths], {
    cwd,
    ...(index === undefined ? {} : { env: { GIT_INDEX_FILE: index } }),
  });
  const rows = stdout.toString('utf8').split('\0').filter(Boolean);
  return new Map(rows.map((row) => [row.slice(row.indexOf('\t') + 1), row.split(' ')[1] as string]));
}

/** True when the index has anything that the commit before it has not, apart from these paths. */
export async function hasChanges(head: string | null, ignore: string[], cwd: string): Promise<boolean> {
  const pathspec = ['--', '.', ...ignore.map((path) => `:(top,exclude,literal)${path}`)];
  if (head !== null) return (await git(['diff-index', '--cached', '--quiet', head, ...pathspec], { cwd })).code !== 0;
  const { stdout } = await git(['ls-files', '-z', ...pathspec], { cwd });
  return stdout.length > 0;
}
