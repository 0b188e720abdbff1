import { closeSync, constants, lstatSync, mkdirSync, openSync, rmdirSync, unlinkSync, writeSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { UserError } from '../errors.ts';

/**
 * Writes a file of `.cc-snapshots` into the work tree. Every folder on the way is looked at first: a repository may hold a symbolic
 * link there that leads out of it.
 * @throws UserError when a folder is a symbolic link or no folder, or the file no regular file.
 */
export function writeSnapshotFile(top: string, path: string, bytes: Buffer): void {
  const parts = path.split('/');
  for (let depth = 1; depth < parts.length; depth += 1) {
    const folder = join(top, ...parts.slice(0, depth));
    if (kindOf(folder) === null) mkdirSync(folder, { mode: 0o777 });
    if (kindOf(folder) !== 'folder') throw notAFolder(top, parts.slice(0, depth).join('/'));
  }
  const target = join(top, path);
  const kind = kindOf(target);
  if (kind === 'file') unlinkSync(target);
  else if (kind !== null) throw notAFile(path, 'rm -r');
  const { O_WRONLY, O_CREAT, O_EXCL, O_NOFOLLOW } = constants;
  const fd = openSync(target, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW, 0o644);
  try {
    writeSync(fd, bytes);
  } finally {
    closeSync(fd);
  }
}

/** Removes a snapshot file that no commit took, and the folders that are empty without it. */
export function removeSnapshotFile(top: string, path: string): void {
  const parts = path.split('/');
  const safe = parts.every((_, depth) => depth === 0 || kindOf(join(top, ...parts.slice(0, depth))) === 'folder');
  if (!safe || kindOf(join(top, path)) !== 'file') return;
  unlinkSync(join(top, path));
  for (let folder = dirname(path); folder !== '.'; folder = dirname(folder)) {
    try {
      rmdirSync(join(top, folder));
    } catch {
      return; // not empty
    }
  }
}

function kindOf(path: string): 'file' | 'folder' | 'other' | null {
  try {
    const found = lstatSync(path);
    return found.isFile() ? 'file' : found.isDirectory() ? 'folder' : 'other';
  } catch {
    return null;
  }
}

/** Why a snapshot file cannot be written where something else stands. @param remove the command that takes it away. */
export function notAFile(path: string, remove: string): UserError {
  return new UserError(`${path} is no regular file, so no context was captured.`, `Remove it: ${remove} ${path}`);
}

/** Why nothing can be written below something else than a folder, in the work tree or only in the index. */
export function notAFolder(top: string, path: string): UserError {
  const kind = kindOf(join(top, path));
  return new UserError(
    `${path} is a symbolic link or no folder, so no context was captured.`,
    `Remove it: git rm --cached ${path}${kind === 'file' || kind === 'other' ? ` && rm ${path}` : ''}`,
  );
}
