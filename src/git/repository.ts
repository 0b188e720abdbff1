import { existsSync, realpathSync } from 'node:fs';
import { join } from 'node:path';
import { UserError } from '../errors.ts';
import { git, gitText } from './git.ts';

/** Where a repository lives on disk; all paths absolute and real. */
export interface Repository {
  /** Top of this work tree. */
  top: string;
  /** This work tree's own git directory (`.git`, or `.git/worktrees/<name>`). */
  gitDir: string;
  /** The git directory that all work trees share. */
  commonDir: string;
}

/** A commit that another one stands on. */
export interface Head {
  commit: string;
  /** Committer time, seconds since 1970. */
  time: number;
}

/**
 * Finds the repository around a directory.
 * @throws UserError outside a work tree, and where a path holds a line break.
 */
export async function openRepository(cwd?: string): Promise<Repository> {
  const { code, stdout, stderr } = await git(
    ['rev-parse', '--path-format=absolute', '--show-toplevel', '--absolute-git-dir', '--git-common-dir'],
    cwd === undefined ? {} : { cwd },
  );
  const [top, gitDir, commonDir, ...rest] = stdout.toString('utf8').split('\n');
  // Git ends each path with a line break and quotes none: one within would name another repository.
  if (code === 0 && rest.join('\n') !== '') {
    throw new UserError(
      'The path of this repository holds a line break, which is not supported.',
      'Move it to a path without one.',
    );
  }
  if (code === 0 && top && gitDir && commonDir) return { top: realpathSync(top), gitDir, commonDir };
  if (/must be run in a work tree/.test(stderr)) {
    throw new UserError('This is a bare repository: it has no work tree to commit in.', 'Run this in a clone of it.');
  }
  if (/dubious ownership/.test(stderr)) {
    throw new UserError(
      'Git does not trust this repository: it belongs to another user.',
      'git config --global --add safe.directory <path>',
    );
  }
  throw new UserError('This is not a Git repository.', 'Go to a repository, or make one with: git init');
}

/**
 * Who the next commit is by, `Name <address>`.
 * @throws UserError when Git does not know either.
 */
export async function authorOf(cwd: string, env: NodeJS.ProcessEnv = process.env): Promise<string> {
  // `git commit` tells its pre-commit hook: one process less to wait for.
  const { GIT_AUTHOR_NAME: name, GIT_AUTHOR_EMAIL: email } = env;
  if (name && email) return `${name} <${email}>`;
  return (await gitText(['var', 'GIT_AUTHOR_IDENT'], { cwd })).replace(/ \d+ [+-]\d{4}$/, '');
}

/** HEAD (or another revision), null when there is none: before the first commit. */
export async function readHead(cwd: string, revision = 'HEAD'): Promise<Head | null> {
  const { code, stdout } = await git(['log', '-1', '--no-show-signature', '--format=%H %ct', revision, '--'], { cwd });
  if (code !== 0) return null;
  const [commit, time] = stdout.toString('utf8').trim().split(' ');
  return commit && time ? { commit, time: Number(time) } : null;
}

/** True when a commit is another one or an ancestor of it; false also when it is not there any more. */
export async function isAncestor(commit: string, of: string, cwd: string): Promise<boolean> {
  return (await git(['merge-base', '--is-ancestor', commit, of], { cwd })).code === 0;
}

/** Where HEAD was before it came to a commit, by its reflog; null when the reflog does not say. */
export async function headBefore(commit: string, cwd: string): Promise<string | null> {
  const { stdout } = await git(['log', '--walk-reflogs', '-50', '--no-show-signature', '--format=%H', 'HEAD', '--'], { cwd });
  const hashes = stdout.toString('utf8').trim().split('\n');
  const at = hashes.indexOf(commit);
  return at < 0 ? null : (hashes[at + 1] ?? null);
}

/** Whether a commit that was made or checked out in this work tree added or changed a path, by the reflog of HEAD. */
export async function wasCommitted(path: string, cwd: string): Promise<boolean> {
  const { stdout } = await git(
    ['log', '--walk-reflogs', '-1', '--no-show-signature', '--format=%H', 'HEAD', '--', `:(top,literal)${path}`],
    { cwd },
  );
  return stdout.length > 0;
}

/** The tops of all work trees of the repository that exist, this one first. */
export async function worktreeTops(repository: Repository): Promise<string[]> {
  if (!existsSync(join(repository.commonDir, 'worktrees'))) return [repository.top];
  const { stdout } = await git(['worktree', 'list', '--porcelain', '-z'], { cwd: repository.top });
  const tops = stdout
    .toString('utf8')
    .split('\0')
    .filter((line) => line.startsWith('worktree '))
    .map((line) => line.slice('worktree '.length));
  const real = tops.flatMap((top) => {
    try {
      return [realpathSync(top)];
    } catch {
      return []; // its folder is gone and not pruned yet
    }
  });
  return [...new Set([repository.top, ...real])];
}
