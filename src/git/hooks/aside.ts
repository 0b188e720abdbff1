import { existsSync, lstatSync, readlinkSync, renameSync, rmSync, symlinkSync } from 'node:fs';
import { basename, dirname, isAbsolute, join } from 'node:path';

/** Where a hook is put aside that needs its name. */
export const ASIDE_DIRECTORY = 'before-cc-context';

/** The name (relative to the directory), or the name with a number when something lies there: no hook is ever overwritten. */
export function freeName(directory: string, name: string): string {
  let free = name;
  for (let number = 2; isThere(join(directory, free)); number += 1) free = `${name}-${number}`;
  return free;
}

/** Renames a file; a symbolic link still points to the same file afterwards. */
export function move(from: string, to: string): void {
  const depth = (path: string) => (basename(dirname(path)) === ASIDE_DIRECTORY ? 1 : 0);
  const stat = lstatSync(from);
  const target = stat.isSymbolicLink() ? readlinkSync(from) : null;
  if (target === null || isAbsolute(target) || depth(from) === depth(to)) {
    renameSync(from, to);
    return;
  }
  const draft = `${to}.cc-context-${process.pid}`;
  symlinkSync(depth(to) > depth(from) ? `../${target}` : target.slice('../'.length), draft);
  renameSync(draft, to);
  rmSync(from);
}

/** Also for a symbolic link that leads nowhere. */
export function isThere(path: string): boolean {
  return existsSync(path) || lstatSync(path, { throwIfNoEntry: false }) !== undefined;
}

/** True for a symbolic link, wherever it leads. */
export function isLink(path: string): boolean {
  return lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink() ?? false;
}
