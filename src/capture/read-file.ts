import { type OpenedFile, openFile } from '../claude/reading.ts';
import { EMPTY_TALLY, type Tally, tallyRecord } from '../claude/tally.ts';
import { Chunker } from '../core/chunking.ts';
import type { ChunkRef, ManifestFile } from '../core/manifest.ts';
import { redactRecord, redactText } from '../core/redaction/index.ts';
import { IntegrityError } from '../errors.ts';
import type { ContextStore, LooseChunk } from '../storage/context-store.ts';
import { mend } from './mend.ts';

/** How far a file of a session was read, and what came of it: where the next capture goes on. */
export interface Progress {
  /** Bytes of the file that were read, up to the end of the last whole record. */
  offset: number;
  /** Checksum of what stands just before `offset`, to notice a file that was rewritten. */
  tail: string;
  chunks: ChunkRef[];
  /** Bytes stored, after redaction. */
  size: number;
  redactions: number;
  tally: Tally;
}

/** A file as it goes into the manifest, and where its next capture goes on. */
export interface CapturedFile {
  file: ManifestFile;
  progress: Progress;
  /** Bytes of the file on disk at this capture. */
  size: number;
  redactions: number;
  tally: Tally;
  /** Lines that are no JSON; kept as they are. */
  bad_lines: number;
  /** Lines that are too long to be a record; left out. */
  long_lines: number;
}

/** The time box is over; `progress` says how far the reading came, by path. */
export class OutOfTime extends Error {
  override readonly name = 'OutOfTime';
  readonly progress: Map<string, Progress>;
  constructor(progress: Map<string, Progress> = new Map()) {
    super('the time box of the capture is over');
    this.progress = progress;
  }
}

export interface Reading {
  store: ContextStore;
  redact: boolean;
  /** Milliseconds since 1970. */
  deadline: number;
  /** Replace what is damaged in the store. */
  heal?: boolean;
  /** What to call for a chunk that is stored loose: the little that a commit usually adds. All are packed where nobody waits for it. */
  loose?: (chunk: LooseChunk) => void;
}

/** A text file up to this size is searched for secrets as a whole, so that none hides across lines (bytes). */
const WHOLE_TEXT = 64 * 1024 * 1024;

/**
 * Captures a file of a session into chunks: only what is new since `earlier`, when the file still begins with that.
 * @throws TranscriptGone when the file is not there; OutOfTime; StoreError.
 */
export async function captureFile(name: string, path: string, earlier: Progress | null, reading: Reading): Promise<CapturedFile> {
  const opened = openFile(path);
  try {
    const from = (start: Progress, how: Reading) =>
      (name.endsWith('.jsonl') ? captureRecords : captureText)(name, path, opened, start, how);
    if (earlier === null || !opened.continues(earlier.offset, earlier.tail)) return await from(beginning(), reading);
    for (const isWhole of [async () => true, () => mend(name, opened, earlier, reading)]) {
      try {
        if ((await isWhole()) && (await reading.store.holds(earlier.chunks)))
          return await from(structuredClone(earlier), reading);
      } catch (error) {
        if (!(error instanceof IntegrityError)) throw error;
      }
    }
    // What the store had of this file is missing or damaged, and cannot be made again as it was: it is stored anew.
    return await from(beginning(), { ...reading, heal: true });
  } finally {
    opened.close();
  }
}

/**
 * Mends what the store has of a captured file, where that is still possible.
 * @throws TranscriptGone when the file is not there; StoreError.
 */
export async function mendFile(path: string, progress: Progress, reading: Reading): Promise<void> {
  const opened = openFile(path);
  try {
    if (opened.continues(progress.offset, progress.tail)) await mend(path, opened, progress, reading);
  } finally {
    opened.close();
  }
}

async function captureRecords(
  name: string,
  path: string,
  opened: OpenedFile,
  progress: Progress,
  reading: Reading,
): Promise<CapturedFile> {
  const known = progress.chunks.length;
  const chunker = new Chunker();
  let unfinished: Buffer | null = null;
  let [bad_lines, long_lines] = [0, 0];
  const outOfTime = () => new OutOfTime(new Map([[path, { ...progress, tail: opened.tailAt(progress.offset) }]]));
  for (const { bytes: record, end } of opened.lines(progress.offset)) {
    if (record === null) {
      if (end > progress.offset) long_lines += 1;
      // What is before it is stored up to here: the progress may not run ahead of the chunks.
      await append(chunker.flush(), progress, reading);
      progress.offset = end;
      if (Date.now() > reading.deadline) throw outOfTime();
      continue;
    }
    if (record.at(-1) !== NEWLINE) {
      unfinished = record;
      break;
    }
    progress.offset = end;
    if (record.length > 1 && !tallyRecord(progress.tally, record)) bad_lines += 1;
    const chunks = chunker.push(redacted(record, progress, reading.redact));
    if (chunks.length === 0) continue;
    await append(chunks, progress, reading);
    if (Date.now() > reading.deadline) throw outOfTime();
  }
  const isAll = progress.chunks.length === known;
  await append(chunker.flush(), progress, reading, isAll);
  progress.tail = opened.tailAt(progress.offset);
  return captured(name, opened.size, await withUnfinished(progress, unfinished, reading), progress, { bad_lines, long_lines });
}

/** A last line without its end is captured too, but read again next time: it may have grown into a record by then. */
async function withUnfinished(progress: Progress, unfinished: Buffer | null, reading: Reading): Promise<Progress> {
  if (unfinished === null) return progress;
  const all = structuredClone(progress);
  tallyRecord(all.tally, unfinished);
  const chunker = new Chunker();
  const bytes = redacted(unfinished, all, reading.redact);
  await append([...chunker.push(bytes), ...chunker.flush()], all, reading, true);
  return all;
}

async function captureText(
  name: string,
  path: string,
  opened: OpenedFile,
  before: Progress,
  reading: Reading,
): Promise<CapturedFile> {
  if (before.offset === opened.size && before.chunks.length > 0) return captured(name, opened.size, before, before);
  const progress = beginning();
  const chunker = new Chunker();
  const whole: Buffer[] = [];
  let long_lines = 0;
  let inLongLine = false;
  for (const { bytes, end } of opened.lines(0)) {
    // A text is read from its beginning each time.
    if (Date.now() > reading.deadline) throw new OutOfTime(new Map([[path, before]]));
    if (bytes === null && !inLongLine) long_lines += 1;
    inLongLine = bytes === null && end === progress.offset;
    progress.offset = end;
    if (bytes === null) continue;
    if (opened.size <= WHOLE_TEXT) whole.push(bytes);
    else await append(chunker.push(redacted(bytes, progress, reading.redact, redactText)), progress, reading);
  }
  await append(chunker.push(redacted(Buffer.concat(whole), progress, reading.redact, redactText)), progress, reading);
  await append(chunker.flush(), progress, reading);
  const end = { ...progress, offset: opened.size, tail: opened.tailAt(opened.size) };
  return captured(name, opened.size, end, end, { bad_lines: 0, long_lines });
}

const NEWLINE = 10;

function beginning(): Progress {
  return { offset: 0, tail: '0', chunks: [], size: 0, redactions: 0, tally: structuredClone(EMPTY_TALLY) };
}

function redacted(record: Buffer, progress: Progress, redact: boolean, find = redactRecord): Buffer {
  if (!redact) return record;
  const { bytes, counts } = find(record);
  for (const count of Object.values(counts)) progress.redactions += count;
  return bytes;
}

async function append(
  chunks: Buffer[],
  progress: Progress,
  { store, heal = false, loose }: Reading,
  isLittle = false,
): Promise<void> {
  const how = isLittle && loose !== undefined ? { heal, loose } : { heal };
  for (const chunk of chunks) {
    progress.chunks.push(await store.putChunk(chunk, progress.chunks.at(-1) ?? null, how));
    progress.size += chunk.length;
  }
}

function captured(
  name: string,
  size: number,
  all: Progress,
  progress: Progress,
  lines = { bad_lines: 0, long_lines: 0 },
): CapturedFile {
  const file = { path: name, size: all.size, chunks: all.chunks };
  return { file, progress, size, redactions: all.redactions, tally: all.tally, ...lines };
}
