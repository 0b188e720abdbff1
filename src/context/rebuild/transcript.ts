import { randomUUID } from 'node:crypto';
import type { TranscriptRecord } from '../../claude/records.ts';
import { createValidator } from '../../claude/validate.ts';
import type { Block } from '../../core/conversation.ts';
import { roomFor, type Spool } from '../spool.ts';

/**
 * The lines of a transcript, each checked. What is given holds only until the next is asked for.
 * @throws at its end when it is not sound: what was written of it must not be used.
 */
export function* transcriptBytes(records: Iterable<TranscriptRecord>, spool: Spool): Generator<Buffer> {
  const validator = createValidator();
  let batch = Buffer.allocUnsafe(2 * BATCH);
  let end = 0;
  for (const record of records) {
    validator.check(record);
    const line = lineOf(record);
    const room = line.reduce((sum, part) => sum + (typeof part === 'string' ? 3 * part.length : roomFor(part)), 0);
    if (end + room > batch.length) {
      yield batch.subarray(0, end);
      end = 0;
      if (room > batch.length) batch = Buffer.allocUnsafe(room);
    }
    for (const part of line) end = typeof part === 'string' ? end + batch.write(part, end) : spool.write(part, batch, end);
  }
  yield batch.subarray(0, end);
  const [problem] = validator.problems();
  if (problem !== undefined) throw new Error(`the merged session is not valid: ${problem}`);
}

/** Bytes that are written at once. */
const BATCH = 1024 * 1024;
/** Stands for the content of a message in its record; nobody else can have written it. */
const CONTENT = randomUUID();

/** The line of a record: JSON text, and the blocks of its message in between. */
function lineOf(record: TranscriptRecord): (string | Block)[] {
  const message = record['message'] as { content: unknown } | undefined;
  const blocks = message?.content;
  if (!Array.isArray(blocks)) return [`${JSON.stringify(record)}\n`];
  const [before, after] = JSON.stringify({ ...record, message: { ...message, content: CONTENT } }).split(`"${CONTENT}"`);
  const inList = (blocks as Block[]).flatMap((block, at) => (at === 0 ? [block] : [',', block]));
  return [`${before}[`, ...inList, `]${after}\n`];
}
