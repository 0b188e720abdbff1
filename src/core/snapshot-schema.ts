import * as z from 'zod';
import type { Manifest } from './manifest.ts';
import { isPlainPath } from './plain-path.ts';
import type { Snapshot } from './snapshot.ts';

const hash = z.string().regex(/^[0-9a-f]{64}$/);
const count = z.int().nonnegative();
const sessionId = z.string().regex(/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i);
const relativePath = z.string().refine(isPlainPath, 'no plain relative path');
const directory = z.union([z.literal('.'), relativePath]).nullable();

const snapshotSchema = z
  .looseObject({
    version: z.literal(1),
    context_id: z.string(),
    created_at: z.iso.datetime(),
    author: z.string(),
    parent_commit: z.string().nullable(),
    sessions: z.array(
      z.looseObject({
        session_id: sessionId,
        message_count: count,
        new_messages: count,
        continued_from_parent: z.boolean(),
        agent: z.string(),
        agent_version: z.string().nullable(),
        account: z.string().nullable(),
        cwd: directory,
      }),
    ),
    total_messages: count,
    new_messages_since_parent: count,
    redactions: count,
    covers: z.array(z.string()).optional(),
    manifest_hash: hash,
  })
  .refine((snapshot) => snapshot.context_id === `ctx-${snapshot.manifest_hash}`, 'context_id is not the hash of the manifest');

const manifestSchema = z.looseObject({
  version: z.literal(1),
  created_at: z.iso.datetime(),
  parent_commit: z.string().nullable(),
  sessions: z.array(
    z.looseObject({
      session_id: sessionId,
      agent: z.literal('claude-code'),
      agent_version: z.string().nullable(),
      account: z.string().nullable(),
      cwd: directory,
      directory: z.string().nullable(),
      message_count: count,
      redactions: count,
      started_at: z.string().nullable(),
      ended_at: z.string().nullable(),
      files: z.array(
        z
          .looseObject({
            path: relativePath.refine(
              (path) => /^(transcript\.jsonl$|side\/|project\/agent-[0-9a-f]+\.jsonl$)/.test(path),
              'unknown place',
            ),
            size: count,
            chunks: z.array(z.tuple([hash, count])),
          })
          .refine(
            ({ size, chunks }) => chunks.reduce((sum, [, length]) => sum + length, 0) === size,
            'size is not that of its chunks',
          ),
      ),
    }),
  ),
});

/**
 * Reads a snapshot file. Fields that are not known are kept.
 * @returns the snapshot, or what is wrong with it.
 */
export function parseSnapshot(bytes: Buffer): { snapshot: Snapshot } | { problem: string } {
  const result = snapshotSchema.safeParse(parseJson(bytes));
  return result.success ? { snapshot: result.data as Snapshot } : { problem: problemOf(result.error) };
}

/** Checks a manifest that came out of a store. */
export function checkManifest(value: unknown): { manifest: Manifest } | { problem: string } {
  const result = manifestSchema.safeParse(value);
  return result.success ? { manifest: result.data as Manifest } : { problem: problemOf(result.error) };
}

function parseJson(bytes: Buffer): unknown {
  try {
    return isShallow(bytes) ? JSON.parse(bytes.toString('utf8')) : undefined;
  } catch {
    return undefined;
  }
}

/** Snapshot files are three levels deep; what is nested by the thousand overflows the stack of whoever writes it out again. */
function isShallow(bytes: Buffer): boolean {
  if (bytes.length <= HARMLESS) return true;
  let depth = 0;
  for (const byte of bytes) {
    if (byte === OPEN_ARRAY || byte === OPEN_OBJECT) depth += 1;
    else if (byte === CLOSE_ARRAY || byte === CLOSE_OBJECT) depth -= 1;
    if (depth > DEEPEST) return false;
  }
  return true;
}

const [OPEN_ARRAY, CLOSE_ARRAY, OPEN_OBJECT, CLOSE_OBJECT] = Buffer.from('[]{}') as unknown as [number, number, number, number];
const DEEPEST = 64;
/** Too short (bytes) to be nested deeper than a stack is. */
const HARMLESS = 2048;

function problemOf(error: z.ZodError): string {
  const [issue] = error.issues;
  return issue === undefined ? 'unreadable' : `${issue.path.join('.') || 'the file'}: ${issue.message}`;
}
