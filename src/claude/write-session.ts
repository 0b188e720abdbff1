import { closeSync, constants, fsyncSync, linkSync, openSync, rmSync, writeSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { UserError } from '../errors.ts';
import { makeFolders } from '../make-folders.ts';
import { installedVersion, shortensNames } from './installed-version.ts';
import { hasLongName, projectName, projectsDir, unshortenedName } from './paths.ts';

/** A file of a session to be written: where (relative to the project directory) and what. */
export interface SessionOutput {
  path: string;
  /** Taken once, while it is written: a piece may hold only until the next is asked for. */
  bytes: Iterable<Buffer> | AsyncIterable<Buffer>;
}

/** The project directory in which Claude Code looks for the sessions of a (real) directory. */
export function projectDirOf(config: string, directory: string): string {
  const old = hasLongName(directory) && !shortensNames(installedVersion());
  return join(projectsDir(config), old ? unshortenedName(directory) : projectName(directory));
}

/**
 * Where a captured file goes in the project directory: the transcript under the session's new id, what lay in its folder into the
 * new folder, older subagents beside it. Names were checked when the manifest was read.
 */
export function outputPath(name: string, sessionId: string): string {
  if (name === 'transcript.jsonl') return `${sessionId}.jsonl`;
  return name.startsWith('side/') ? `${sessionId}/${name.slice('side/'.length)}` : name.slice('project/'.length);
}

/**
 * Writes the files of a session, the transcript last: Claude Code sees all of it or nothing. All are written beside their places, made
 * durable, and then linked into them, so that an existing file is never replaced. Mode 0600, folders 0700.
 * @returns the bytes of each file, by its path.
 * @throws UserError when the directory cannot be written; what the files' contents throw. Nothing is left then.
 */
export async function writeSession(projectDir: string, files: SessionOutput[]): Promise<Map<string, number>> {
  const sizes = new Map<string, number>();
  const written: string[] = [];
  const inPlace: string[] = [];
  try {
    for (const { path, bytes } of files) {
      const beside = besidePath(projectDir, path);
      told(projectDir, () => makeFolders(dirname(beside)));
      written.push(beside);
      sizes.set(path, await writeBeside(beside, bytes, projectDir));
    }
    for (const { path } of files) {
      const made = told(projectDir, () => putInPlace(besidePath(projectDir, path), join(projectDir, path)));
      if (made) inPlace.push(join(projectDir, path));
    }
    inPlace.length = 0; // all of it is there
  } finally {
    for (const path of [...inPlace, ...written]) rmSync(path, { force: true });
  }
  return sizes;
}

/** Makes all that would be written, and writes nothing. @throws what the files' contents throw. */
export async function rehearseSession(files: SessionOutput[]): Promise<void> {
  for (const { bytes } of files) for await (const _ of bytes);
}

const besidePath = (projectDir: string, path: string) => `${join(projectDir, path)}.cc-context-${process.pid}`;

async function writeBeside(path: string, bytes: SessionOutput['bytes'], projectDir: string): Promise<number> {
  const { O_WRONLY, O_CREAT, O_EXCL, O_NOFOLLOW } = constants;
  const fd = told(projectDir, () => openSync(path, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW, 0o600));
  let size = 0;
  try {
    for await (const part of bytes) {
      for (let at = 0; at < part.length; ) at += told(projectDir, () => writeSync(fd, part, at));
      size += part.length;
    }
    told(projectDir, () => fsyncSync(fd));
  } finally {
    closeSync(fd);
  }
  return size;
}

function putInPlace(beside: string, path: string): boolean {
  try {
    linkSync(beside, path);
    return true;
  } catch (error) {
    // A subagent of an older version keeps its name: it is there already when the same session is restored twice.
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST' || !/\/agent-[0-9a-f]+\.jsonl$/.test(path)) throw error;
    return false;
  }
}

function told<T>(projectDir: string, work: () => T): T {
  try {
    return work();
  } catch (cause) {
    throw new UserError(
      `The session could not be written to ${projectDir}: ${cause instanceof Error ? cause.message : String(cause)}.`,
      'Check that the folder is yours to write and that the disk has space, then run it again.',
      { cause },
    );
  }
}
