import type { OpenedFile } from '../claude/reading.ts';
import { sha256 } from '../core/hash.ts';
import type { ChunkRef } from '../core/manifest.ts';
import { redactRecord, redactText } from '../core/redaction/index.ts';
import { OutOfTime, type Progress, type Reading } from './read-file.ts';

/**
 * Stores anew what the store has lost of a file that is still here, or has damaged: cut where it was cut before, so that every context that
 * names these chunks is whole again.
 * @returns false when what is read now is not what was stored (the file or the rules of the redaction have changed).
 * @throws OutOfTime; TranscriptGone when the file is not there; StoreError.
 */
export async function mend(name: string, opened: OpenedFile, progress: Progress, reading: Reading): Promise<boolean> {
  let parts: Buffer[] = [];
  let length = 0;
  let next = 0;
  for (const bytes of name.endsWith('.jsonl') ? redactedRecords(opened, progress, reading) : [wholeText(opened, reading)]) {
    parts.push(bytes);
    length += bytes.length;
    for (let chunk = progress.chunks[next]; chunk !== undefined && length >= chunk[1]; chunk = progress.chunks[next]) {
      const all = Buffer.concat(parts, length);
      const [content, rest] = [all.subarray(0, chunk[1]), all.subarray(chunk[1])];
      if (sha256(content) !== chunk[0]) return false;
      await reading.store.putChunk(content, chunkBefore(progress.chunks, next), { heal: true });
      parts = [rest];
      length = rest.length;
      next += 1;
    }
    if (Date.now() > reading.deadline) throw new OutOfTime();
  }
  await reading.store.flush();
  return next === progress.chunks.length;
}

const chunkBefore = (chunks: ChunkRef[], at: number) => chunks[at - 1] ?? null;

function* redactedRecords(opened: OpenedFile, { offset }: Progress, { redact }: Reading): Generator<Buffer> {
  for (const { bytes, end } of opened.lines(0)) {
    if (end > offset || (bytes !== null && bytes.at(-1) !== NEWLINE)) return;
    if (bytes !== null) yield redact ? redactRecord(bytes).bytes : bytes;
  }
}

function wholeText(opened: OpenedFile, { redact }: Reading): Buffer {
  const whole = Buffer.concat([...opened.lines(0)].flatMap(({ bytes }) => (bytes === null ? [] : [bytes])));
  return redact ? redactText(whole).bytes : whole;
}

const NEWLINE = 10;
