import { createHash } from 'node:crypto';

/** SHA-256 in lower-case hex (64 characters): the name of every chunk and manifest. */
export function sha256(bytes: Buffer | string): string {
  return createHash('sha256').update(bytes).digest('hex');
}

/** True for the lower-case hex form of a SHA-256. Names that come from a repository or a bucket are checked with it first. */
export function isHash(text: unknown): text is string {
  return typeof text === 'string' && /^[0-9a-f]{64}$/.test(text);
}
