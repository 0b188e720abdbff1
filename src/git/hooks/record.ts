import { readFileSync, rmSync } from 'node:fs';
import { dirname, join, relative, resolve, sep } from 'node:path';
import { makeFolders } from '../../make-folders.ts';
import { replaceFile } from '../replace-file.ts';

/** What cc-init made in places that are not its own, so that `--uninstall` leaves no trace. It can do without: see uninstallHooks. */
export interface HookRecord {
  /** Hook files that hold our line, by absolute path: made by us, or there before. */
  files: Record<string, 'created' | 'edited'>;
  /** Directories made for them, outermost first. */
  directories: string[];
}

/** The record of a repository; an empty one when it is missing or unreadable. */
export function readRecord(commonDir: string): HookRecord {
  try {
    const { files = {}, directories = [] } = JSON.parse(readFileSync(recordPath(commonDir), 'utf8')) as Partial<HookRecord>;
    const absolute = (path: string) => resolve(commonDir, path);
    return {
      files: Object.fromEntries(Object.entries(files).map(([path, how]) => [absolute(path), how])),
      directories: directories.map(absolute),
    };
  } catch {
    return { files: {}, directories: [] };
  }
}

/** Keeps the record. Paths about the repository are stored relative to it: a copy of it must not speak of the original's files. */
export function writeRecord(commonDir: string, { files, directories }: HookRecord): void {
  const around = dirname(commonDir) + sep;
  const stored = (path: string) => (path.startsWith(around) ? relative(commonDir, path) : path);
  const content = {
    version: 1,
    files: Object.fromEntries(Object.entries(files).map(([path, how]) => [stored(path), how])),
    directories: directories.map(stored),
  };
  const text = `${JSON.stringify(content, null, 2)}\n`;
  const path = recordPath(commonDir);
  makeFolders(dirname(path));
  replaceFile(path, Buffer.from(text), 0o644);
}

/** Forgets it. */
export function removeRecord(commonDir: string): void {
  rmSync(recordPath(commonDir), { force: true });
}

function recordPath(commonDir: string): string {
  return join(commonDir, 'cc-context', 'hooks.json');
}
