import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto';
import { damaged } from '../core/envelope.ts';
import type { TeamKey } from '../core/team-key.ts';

/**
 * An encrypted value: `CCE1`, the key's id (16 bytes), a nonce (12 bytes, random), the value under AES-256-GCM, its tag (16 bytes). What is
 * authenticated beside it: the header, and the key that the value stands under, so that no object can take another's place.
 * 48 bytes more than the value, whose length is therefore known to whoever sees the object. With random nonces one key is good for 2^32
 * objects (NIST SP 800-38D, 8.3).
 */
const MAGIC = Buffer.from('CCE1');
const NONCE = 12;
const TAG = 16;
const HEADER = MAGIC.length + 16 + NONCE;
/** Bytes that a sealed object has more than its value. */
export const OVERHEAD = HEADER + TAG;

/** @param key what the value stands under. */
export function sealObject(bytes: Buffer, key: string, by: TeamKey): Buffer {
  const header = Buffer.concat([MAGIC, Buffer.from(by.id, 'hex'), randomBytes(NONCE)]);
  const cipher = createCipheriv('aes-256-gcm', by.values, header.subarray(-NONCE), { authTagLength: TAG });
  cipher.setAAD(Buffer.concat([header, Buffer.from(key)]));
  return Buffer.concat([header, cipher.update(bytes), cipher.final(), cipher.getAuthTag()]);
}

/** @throws IntegrityError when it is not exactly what was sealed under this key of the store, by this key of the team. */
export function openObject(sealed: Buffer, key: string, by: TeamKey): Buffer {
  const header = sealed.subarray(0, HEADER);
  const begin = Buffer.concat([MAGIC, Buffer.from(by.id, 'hex')]);
  if (sealed.length < OVERHEAD || !header.subarray(0, begin.length).equals(begin)) throw damaged(key);
  try {
    const decipher = createDecipheriv('aes-256-gcm', by.values, header.subarray(-NONCE), { authTagLength: TAG });
    decipher.setAAD(Buffer.concat([header, Buffer.from(key)]));
    decipher.setAuthTag(sealed.subarray(-TAG));
    const bytes = decipher.update(sealed.subarray(HEADER, -TAG));
    decipher.final();
    return bytes;
  } catch (cause) {
    throw damaged(key, cause);
  }
}
