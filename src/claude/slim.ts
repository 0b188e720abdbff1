import type { Block } from '../core/conversation.ts';
import type { TranscriptRecord } from './records.ts';
import { asRecord } from './records.ts';

/** The fields of a record that a conversation is read from; all else (the full result of every tool, progress, …) is most of a file. */
const FIELDS = [
  'type',
  'subtype',
  'uuid',
  'parentUuid',
  'isSidechain',
  'isMeta',
  'isCompactSummary',
  'isApiErrorMessage',
  'compactMetadata',
  'timestamp',
  'version',
  'cwd',
  'customTitle',
  'aiTitle',
  'leafUuid',
  'explicit',
  'rewound',
  'ccContext',
  'originalTimestamp',
  'originalSessionId',
  'originalUuid',
  'originalUsage',
] as const;

/**
 * A record with only what a conversation is read from, so that sessions of hundreds of MB can be merged in little memory.
 * @param keep gives what stands for a block of a message; it may leave its content elsewhere.
 */
export function slimRecord(record: TranscriptRecord, keep: (block: Block) => Block): TranscriptRecord {
  const slim: Record<string, unknown> = {};
  for (const field of FIELDS) if (record[field] !== undefined) slim[field] = record[field];
  if (record['isSidechain'] === true) return slim;
  const message = asRecord(record['message']);
  if (message !== null) {
    const { id, model, usage, content } = message;
    slim['message'] = { id, model, usage, content: slimContent(content, keep) };
  }
  if (record['type'] === 'system') slim['content'] = record['content'];
  const attachment = asRecord(record['attachment']);
  if (attachment !== null) {
    const { type, isMeta, commandMode, prompt } = attachment;
    slim['attachment'] =
      type === 'queued_command' ? { type, isMeta, commandMode, prompt: slimContent(prompt, keep) } : { type, isMeta };
  }
  return slim;
}

function slimContent(content: unknown, keep: (block: Block) => Block): unknown {
  if (typeof content === 'string') return content === '' ? '' : [keep({ type: 'text', text: content })];
  if (!Array.isArray(content)) return content;
  return content.map((block) => (typeof asRecord(block)?.['type'] === 'string' ? keep(block as Block) : block));
}
