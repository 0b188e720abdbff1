import type { Manifest, ManifestFile, ManifestSession } from '../core/manifest.ts';
import type { Snapshot } from '../core/snapshot.ts';
import { checkManifest } from '../core/snapshot-schema.ts';
import { IntegrityError, Purged, UserError } from '../errors.ts';
import type { ContextStore } from '../storage/context-store.ts';

/**
 * The sessions of contexts that one commit owns, read as their union: a session that is in more than one counts once, in its newest version.
 * In order of their beginning. What was purged is left out.
 * @throws IntegrityError when a manifest is missing, damaged or not what the snapshot file names; Purged when nothing is left.
 */
export async function sessionsOf(contexts: Snapshot[], store: ContextStore): Promise<ManifestSession[]> {
  const newest = new Map<string, ManifestSession>();
  const inOrder = [...contexts].sort((a, b) => (a.created_at < b.created_at ? -1 : 1));
  let purged: Purged | null = null;
  for (const { manifest_hash, context_id } of inOrder) {
    const manifest = await unlessPurged(manifest_hash, store);
    if (manifest instanceof Purged) {
      purged = manifest;
      continue;
    }
    const checked = checkManifest(manifest);
    if ('problem' in checked)
      throw new IntegrityError(`The manifest of ${context_id.slice(0, 12)} is not valid (${checked.problem}).`);
    for (const session of checked.manifest.sessions) newest.set(session.session_id, session);
  }
  if (purged !== null && newest.size === 0) throw purged;
  return [...newest.values()].sort((a, b) => ((a.started_at ?? '') < (b.started_at ?? '') ? -1 : 1));
}

async function unlessPurged(hash: string, store: ContextStore): Promise<Manifest | Purged> {
  try {
    return await store.readManifest(hash);
  } catch (error) {
    if (error instanceof Purged) return error;
    throw error;
  }
}

/** One session among those of a context, by its id or a unique beginning of it. @throws UserError */
export function selectSession(sessions: ManifestSession[], id: string): ManifestSession {
  const found = sessions.filter(({ session_id }) => session_id.startsWith(id.toLowerCase()));
  const [only] = found;
  if (only !== undefined && found.length === 1) return only;
  throw new UserError(
    found.length === 0 ? `The context has no session ${id}.` : `"${id}" names more than one session.`,
    `It has: ${sessions.map(({ session_id }) => session_id).join(', ')}`,
  );
}

/** The transcript of a session. @throws IntegrityError when the manifest names none. */
export function transcriptOf(session: ManifestSession): ManifestFile {
  const file = session.files.find(({ path }) => path === 'transcript.jsonl');
  if (file === undefined) throw new IntegrityError(`The manifest of session ${session.session_id} names no transcript.`);
  return file;
}

/** Bytes. The largest transcripts that are known have some hundred MB. */
const LARGEST_AT_ONCE = 2 * 1024 ** 3 - 1;

/** All bytes of a captured file. @throws IntegrityError */
export async function fileBytes(file: ManifestFile, store: ContextStore): Promise<Buffer> {
  if (file.size > LARGEST_AT_ONCE)
    throw new IntegrityError(`The captured file ${file.path} is said to have ${file.size} bytes, more than can be read at once.`);
  const parts: Buffer[] = [];
  for await (const part of store.readFile(file)) parts.push(part);
  return Buffer.concat(parts);
}
