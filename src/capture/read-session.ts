import { relative, sep } from 'node:path';
import { type Subagents, sessionFiles, type TranscriptFile } from '../claude/discover.ts';
import { innermost } from '../claude/where.ts';
import type { ManifestSession } from '../core/manifest.ts';
import { isPlainPath } from '../core/plain-path.ts';
import { redactText } from '../core/redaction/index.ts';
import { TranscriptGone } from '../errors.ts';
import { messages } from '../messages.ts';
import { type CapturedFile, captureFile, type Progress, type Reading } from './read-file.ts';

/** A captured session, and how far each of its files was read. */
export interface CapturedSession {
  session: ManifestSession;
  progress: Map<string, Progress>;
  /** Bytes of the transcript on disk at this capture. */
  size: number;
  warnings: string[];
}

/**
 * Captures a session with its side files.
 * @param top of the work tree that commits: `cwd` is told relative to it.
 * @throws TranscriptGone when the transcript is not there; OutOfTime; StoreError.
 */
export async function captureSession(
  transcript: TranscriptFile,
  {
    earlier,
    account,
    top,
    beside,
    ...reading
  }: Reading & { earlier: (path: string) => Progress | null; account: string | null; top: string; beside?: Subagents },
): Promise<CapturedSession> {
  const captured: CapturedFile[] = [];
  const progress = new Map<string, Progress>();
  const files = sessionFiles(transcript, beside);
  const plain = files.filter(({ name }) => isPlainPath(name));
  for (const { name, path } of plain) {
    try {
      const file = await captureFile(name, path, earlier(path), reading);
      captured.push(file);
      progress.set(path, file.progress);
    } catch (error) {
      // A side file that was cleaned up meanwhile takes nothing else with it; a transcript does.
      if (!(error instanceof TranscriptGone) || name === 'transcript.jsonl') throw error;
    }
  }
  const [main] = captured as [CapturedFile];
  const { tally } = main;
  const id = transcript.session_id;
  const bad = captured.reduce((sum, file) => sum + file.bad_lines, 0);
  const long = captured.reduce((sum, file) => sum + file.long_lines, 0);
  const unnamable = files.length - plain.length;
  const directory = reading.redact && holdsSecret(tally.directory) ? null : tally.directory;
  return {
    session: {
      session_id: id,
      agent: 'claude-code',
      agent_version: tally.agent_version,
      account,
      cwd: relativeDirectory(directory, top),
      directory,
      message_count: tally.message_count,
      redactions: captured.reduce((sum, file) => sum + file.redactions, 0),
      started_at: tally.started_at,
      ended_at: tally.ended_at,
      files: captured.map(({ file }) => file),
    },
    progress,
    size: main.size,
    warnings: [
      ...(bad === 0 ? [] : [messages.badLines(id, bad)]),
      ...(long === 0 ? [] : [messages.longLines(id, long)]),
      ...(unnamable === 0 ? [] : [messages.unnamableFiles(id, unnamable)]),
    ],
  };
}

/** A name of a directory that goes into a file that Git tracks: where it holds a secret, it does not. */
function holdsSecret(directory: string | null): boolean {
  return directory !== null && Object.keys(redactText(Buffer.from(directory)).counts).length > 0;
}

/** The directory as seen from the top, with `/`; `.` for the top itself, null when it lies elsewhere or is no plain path. */
function relativeDirectory(directory: string | null, top: string): string | null {
  if (directory === null || innermost(directory, [top]) === null) return null;
  const path = relative(top, directory).split(sep).join('/');
  return path === '' ? '.' : isPlainPath(path) ? path : null;
}
