import { damaged, parseEnvelope, unseal } from '../core/envelope.ts';
import { sha256 } from '../core/hash.ts';
import type { ChunkRef, Manifest, ManifestSession } from '../core/manifest.ts';
import { checkManifest } from '../core/snapshot-schema.ts';
import { manifestKey } from './blob-store.ts';

/** Reads a manifest as it is stored. @throws IntegrityError when it is not what its hash says, or no manifest. */
export function openManifest(hash: string, bytes: Buffer): Manifest {
  const name = manifestKey(hash);
  const content = unseal(parseEnvelope(bytes, name), null, name);
  if (sha256(content) !== hash) throw damaged(name);
  const checked = checkManifest(parsed(content));
  if ('problem' in checked) throw damaged(name, new Error(checked.problem));
  return checked.manifest;
}

function parsed(content: Buffer): unknown {
  try {
    return JSON.parse(content.toString('utf8'));
  } catch {
    return undefined;
  }
}

/** All chunks of a session, in the order of its files. */
export function chunksOf({ files }: Pick<ManifestSession, 'files'>): ChunkRef[] {
  return files.flatMap(({ chunks }) => chunks);
}
