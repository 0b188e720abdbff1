import { createCipheriv, createDecipheriv, createHmac } from 'node:crypto';
import type { TeamKey } from '../core/team-key.ts';

/**
 * The name of an encrypted object: `<class>/<key id>/<sealed>`, such as `blobs/4f1c…/q3zd…`.
 *
 * The class (`blobs`, `manifests`, `tombstones`) stays: sizes and the order of uploads tell it anyway, listing needs it, and so do rules of a bucket.
 * `<sealed>` is the rest of the key, encrypted deterministically: the first 16 bytes of HMAC-SHA-256 over the whole key, then the rest under
 * AES-256-CTR with that as its counter (the SIV construction: Rogaway and Shrimpton, https://eprint.iacr.org/2006/221). So one content has
 * one name and is stored once, nobody without the key can tell what a name stands for or whether a content is there, and those who have it list
 * plain keys without a request more.
 */
const TAG = 16;
/** What the rest is: a SHA-256 in hex, packed, or text. Packed, a part of a name stays below the 100 characters that adapters know. */
const HASH = 1;
const TEXT = 0;

/** Whose names these are: encrypted under some key, or plain. */
export type NameKind = { key_id: string; class: string } | { key_id: null; class: string };

export const classOf = (key: string): string => key.slice(0, Math.max(0, key.indexOf('/')));

export function kindOfName(name: string): NameKind {
  const [, key_id = null] = /^[^/]+\/([0-9a-f]{32})\/[a-z2-7]+$/.exec(name) ?? [];
  return { key_id, class: classOf(name) };
}

/** The name under which an object is kept in an encrypted store. */
export function sealName(key: string, by: TeamKey): string {
  const rest = key.slice(classOf(key).length + 1);
  const content = /^[0-9a-f]{64}$/.test(rest)
    ? Buffer.concat([Buffer.of(HASH), Buffer.from(rest, 'hex')])
    : Buffer.concat([Buffer.of(TEXT), Buffer.from(rest)]);
  const tag = createHmac('sha256', by.names).update(key).digest().subarray(0, TAG);
  const hidden = createCipheriv('aes-256-ctr', by.hidden, tag).update(content);
  return `${classOf(key)}/${by.id}/${base32(Buffer.concat([tag, hidden]))}`;
}

/** The key that a name stands for; null when it is none that `by` has made. */
export function openName(name: string, by: TeamKey): string | null {
  const kind = kindOfName(name);
  if (kind.key_id !== by.id) return null;
  const bytes = fromBase32(name.slice(name.lastIndexOf('/') + 1));
  if (bytes.length <= TAG) return null;
  const content = createDecipheriv('aes-256-ctr', by.hidden, bytes.subarray(0, TAG)).update(bytes.subarray(TAG));
  const key = `${kind.class}/${content.subarray(1).toString(content[0] === HASH ? 'hex' : 'utf8')}`;
  return sealName(key, by) === name ? key : null;
}

/** RFC 4648, in small letters and without padding: no two names differ in case alone, as some file systems need it. */
const DIGITS = 'abcdefghijklmnopqrstuvwxyz234567';

function base32(bytes: Buffer): string {
  let text = '';
  let bits = 0;
  let value = 0;
  for (const byte of bytes) {
    value = ((value << 8) | byte) & 0xfff;
    for (bits += 8; bits >= 5; bits -= 5) text += DIGITS[(value >> (bits - 5)) & 31];
  }
  return bits === 0 ? text : text + DIGITS[(value << (5 - bits)) & 31];
}

function fromBase32(text: string): Buffer {
  const bytes: number[] = [];
  let bits = 0;
  let value = 0;
  for (const digit of text) {
    value = ((value << 5) | DIGITS.indexOf(digit)) & 0xfff;
    bits += 5;
    if (bits < 8) continue;
    bits -= 8;
    bytes.push((value >> bits) & 255);
  }
  return Buffer.from(bytes);
}
