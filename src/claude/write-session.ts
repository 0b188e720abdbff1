import { closeSync, constants, fsyncSync, linkSync, openSync, unlinkSync, writeSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { UserError } from '../errors.ts';
import { makeFolders } from '../make-folders.ts';
import { projectName, projectsDir } from './paths.ts';

/** A file of a session to be written: where (relative to the project directory) and what. */
export interface SessionOutput {
  path: string;
  bytes: Buffer[];
}

/** The project directory in which Claude Code looks for the sessions of a (real) directory. */
export function projectDirOf(config: string, directory: string): string {
  return join(projectsDir(config), projectName(directory));
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
 * Writes the files of a session, the transcript last: Claude Code sees all of it or nothing. Each is written beside its place, made
 * durable, and linked into it, so that an existing file is never replaced. Mode 0600, folders 0700.
 * @throws UserError when the directory cannot be written.
 */
export function writeSession(projectDir: string, files: SessionOutput[]): void {
  try {
    for (const { path, bytes } of files) writeNew(join(projectDir, path), bytes);
  } catch (cause) {
    throw new UserError(
      `The session could not be written to ${projectDir}: ${cause instanceof Error ? cause.message : String(cause)}.`,
      'Check that the folder is yours to write and that the disk has space, then run it again.',
      { cause },
    );
  }
}

function writeNew(path: string, bytes: Buffer[]): void {
  makeFolders(dirname(path));
  const beside = `${path}.cc-context-${process.pid}`;
  const { O_WRONLY, O_CREAT, O_EXCL, O_NOFOLLOW } = constants;
  const fd = openSync(beside, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW, 0o600);
  try {
    try {
      for (const part of bytes) for (let at = 0; at < part.length; ) at += writeSync(fd, part, at);
      fsyncSync(fd);
    } finally {
      closeSync(fd);
    }
    linkSync(beside, path);
  } catch (error) {
    // A subagent of an older version keeps its name: it is there already when the same session is restored twice.
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST' || path.endsWith('.jsonl') === false) throw error;
    if (!/\/agent-[0-9a-f]+\.jsonl$/.test(path)) throw error;
  } finally {
    unlinkSync(beside);
  }
}
