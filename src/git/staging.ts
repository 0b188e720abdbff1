import { existsSync } from 'node:fs';
import { basename, join, resolve } from 'node:path';
import { ATTRIBUTES_PATH } from '../core/snapshot.ts';
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

/** What an index tracks of the snapshot folder, apart from snapshot files. */
export interface SnapshotFolderInIndex {
  /** It has our `.gitattributes`. */
  attributes: boolean;
  /**
   * Tracked where snapshot files or their folders belong: a file, a link or a submodule in place of a folder, or a folder in place of a
   * file. `update-index` would take it out without a word, and it may be absent from the work tree.
   */
  inTheWay: { path: string; isFolder: boolean } | null;
}

const [YEAR, MONTH] = ['[0-9][0-9][0-9][0-9]', '[0-9][0-9]'];
/** Patterns match whole paths; a plain name would match all that lies below it. The same in hooks/pre-commit, which asks ahead. */
const SNAPSHOT_FOLDER = [
  '[.]cc-snapshots',
  `[.]cc-snapshots/${YEAR}`,
  `[.]cc-snapshots/${YEAR}/${MONTH}`,
  `[.]cc-snapshots/${YEAR}/${MONTH}/${MONTH}`,
  `[.]cc-snapshots/${YEAR}/${MONTH}/${MONTH}/ctx-*.json/**`,
  '[.]cc-snapshots/.gitattributes',
  '[.]cc-snapshots/.gitattributes/**',
].map((pattern) => `:(top,glob)${pattern}`);

/** Reads what an index (by default that of the commit) tracks of the snapshot folder. */
export async function snapshotFolderInIndex(top: string, index?: string): Promise<SnapshotFolderInIndex> {
  const found = await gitText(['ls-files', '-z', '--full-name', '--', ...SNAPSHOT_FOLDER], {
    cwd: top,
    ...(index === undefined ? {} : { env: { GIT_INDEX_FILE: index } }),
  });
  const paths = found.split('\0').filter(Boolean);
  const other = paths.find((path) => path !== ATTRIBUTES_PATH);
  const file = other === undefined ? undefined : /^.*?(?:\/\.gitattributes|\.json)(?=\/)/s.exec(other)?.[0];
  return {
    attributes: paths.includes(ATTRIBUTES_PATH),
    inTheWay: other === undefined ? null : { path: file ?? other, isFolder: file !== undefined },
  };
}

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

/** Whether the index of a work tree has a file (by its absolute path): it changes with what is checked out. */
export async function isTracked(path: string, cwd: string): Promise<boolean> {
  return (await git(['--literal-pathspecs', 'ls-files', '--error-unmatch', '--', path], { cwd })).code === 0;
}

/** True when the index has anything that the commit before it has not, apart from these paths. */
export async function hasChanges(head: string | null, ignore: string[], cwd: string): Promise<boolean> {
  const pathspec = ['--', '.', ...ignore.map((path) => `:(top,exclude,literal)${path}`)];
  if (head !== null) return (await git(['diff-index', '--cached', '--quiet', head, ...pathspec], { cwd })).code !== 0;
  const { stdout } = await git(['ls-files', '-z', ...pathspec], { cwd });
  return stdout.length > 0;
}
