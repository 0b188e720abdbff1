import { mkdirSync, statSync } from 'node:fs';
import { dirname } from 'node:path';

/**
 * Makes a folder, readable by its owner only, and those above it that are missing. Node's own `recursive` never ends where a folder that
 * exists answers ENOENT for a new entry (/proc, some automounts): libuv then makes the parent and tries again, for ever (Node 24.21).
 * @throws the error of the file system
 */
export function makeFolders(folder: string): void {
  if (statSync(folder, { throwIfNoEntry: false })?.isDirectory()) return;
  if (dirname(folder) !== folder) makeFolders(dirname(folder));
  try {
    mkdirSync(folder, { mode: 0o700 });
  } catch (error) {
    // Another process may have made it just now.
    if (!statSync(folder, { throwIfNoEntry: false })?.isDirectory()) throw error;
  }
}
