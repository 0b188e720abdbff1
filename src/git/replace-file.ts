import { chmodSync, renameSync, rmSync, writeFileSync } from 'node:fs';

/**
 * Writes a file as a whole, by renaming: a shell that is reading the old one (bash reads as it goes) keeps reading the old one.
 * @param mode permission bits, set whatever the umask.
 */
export function replaceFile(path: string, bytes: Buffer, mode: number): void {
  const draft = `${path}.cc-context-${process.pid}`;
  try {
    writeFileSync(draft, bytes, { flag: 'wx' });
    chmodSync(draft, mode);
    renameSync(draft, path);
  } catch (error) {
    rmSync(draft, { force: true });
    throw error;
  }
}
