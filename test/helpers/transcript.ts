import { readFile } from 'node:fs/promises';

/** A record of a transcript, as far as tests look into it. */
export interface TranscriptRecord {
  type: string;
  subtype?: string;
  uuid?: string;
  parentUuid?: string | null;
  isCompactSummary?: boolean;
  isSidechain?: boolean;
  timestamp?: string;
  message?: { id?: string; role: string; content: string | { type: string; [field: string]: unknown }[] };
  [field: string]: unknown;
}

/** All records of a transcript, in the order of the file. Throws when a line is not JSON: the client wrote it whole. */
export async function recordsOf(path: string): Promise<TranscriptRecord[]> {
  const lines = (await readFile(path, 'utf8')).split('\n');
  return lines.filter((line) => line !== '').map((line) => JSON.parse(line) as TranscriptRecord);
}

/** The user and assistant records. (`api-request-blob` records of 2.1.329 have a `message` too.) */
export function spoken(records: TranscriptRecord[]): TranscriptRecord[] {
  return records.filter((record) => record.type === 'user' || record.type === 'assistant');
}

/** The blocks of one type in a record's message. */
export function blocksIn(record: TranscriptRecord, type: string): { [field: string]: unknown }[] {
  const content = record.message?.content;
  return Array.isArray(content) ? content.filter((block) => block.type === type) : [];
}
