import { type PortableOptions, portableRecords } from '../../src/claude/portable.ts';
import type { TranscriptRecord } from '../../src/claude/records.ts';
import { createValidator } from '../../src/claude/validate.ts';
import type { MergedConversation } from '../../src/core/merge.ts';

/** The lines of a portable transcript, and the uuid of its last message (null when nothing was said). */
export function writePortable(
  merged: MergedConversation,
  options: PortableOptions,
): { lines: string[]; leafUuid: string | null } {
  const lines = [...portableRecords(merged, options)].map((record) => JSON.stringify(record));
  const last = lines.length === 0 ? null : JSON.parse(lines.at(-1) as string);
  return { lines, leafUuid: last?.leafUuid ?? null };
}

/** What is wrong with a transcript, by its lines. */
export function validateTranscript(lines: string[], now?: number): string[] {
  const validator = createValidator(now);
  for (const line of lines) validator.check(JSON.parse(line) as TranscriptRecord);
  return validator.problems();
}
