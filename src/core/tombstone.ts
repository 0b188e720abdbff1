import { isHash, sha256 } from './hash.ts';

/** What was taken out of a store, by whom and why: kept in the store for those who look for it. */
export interface Removal {
  version: 1;
  /** `gc`: what no commit named; `purge`: sessions. */
  kind: 'gc' | 'purge';
  /** Ids of the sessions that a purge removed. */
  sessions: string[];
  /** ISO 8601. */
  at: string;
  /** `Name <address>`. */
  by: string;
  reason: string | null;
}

/** Stands where a manifest, or a session, was purged. */
export interface Tombstone extends Removal {
  /** Hash of the manifest of what is left of the context, null when nothing is. */
  replacement: string | null;
}

/**
 * The bytes of a record that no hash of its content names: the SHA-256 of its key and of what follows, a line end, JSON. So an altered
 * record, or one in the place of another, is found out.
 */
export function recordBytes(key: string, record: object): Buffer {
  const json = JSON.stringify(record, null, 1);
  return Buffer.from(`${sha256(`${key}\n${json}`)}\n${json}`, 'utf8');
}

/** @returns the record, or null when the bytes are not those of the one that this key names. */
export function openRecord<T extends object>(key: string, bytes: Buffer): T | null {
  const end = bytes.indexOf('\n');
  const json = bytes.subarray(end + 1);
  if (end !== 64 || sha256(Buffer.concat([Buffer.from(`${key}\n`), json])) !== bytes.toString('latin1', 0, end)) return null;
  return JSON.parse(json.toString('utf8')) as T;
}

const SESSION = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

/** Whether a record that came out of a store is one of a removal: its fields are used as names and shown. */
export function isRemoval(record: object): record is Removal {
  const { version, sessions, at, by, reason } = record as Partial<Removal>;
  return (
    version === 1 &&
    Array.isArray(sessions) &&
    sessions.every((id) => typeof id === 'string' && SESSION.test(id)) &&
    typeof at === 'string' &&
    typeof by === 'string' &&
    (reason === null || typeof reason === 'string')
  );
}

/** The same for a tombstone. */
export function isTombstone(record: object): record is Tombstone {
  const { replacement } = record as Partial<Tombstone>;
  return isRemoval(record) && (replacement === null || isHash(replacement));
}

/** One sentence about sessions that are not there any more. */
export function purgedSentence({ sessions, at, by, reason }: Removal): string {
  const names = sessions.map((id) => id.slice(0, 8)).join(', ');
  const [noun, verb] = sessions.length === 1 ? ['Session', 'was'] : ['Sessions', 'were'];
  return `${noun} ${names} of this context ${verb} purged on ${at.slice(0, 10)} by ${by}: ${reason ?? 'no reason was given'}.`;
}
