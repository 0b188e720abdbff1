import { createSecretKey, hkdfSync, type KeyObject, randomBytes } from 'node:crypto';

/**
 * A key that a team encrypts its conversations with: 32 random bytes, from which HKDF-SHA-256 (RFC 5869) derives one key for each use, and the
 * id. KeyObjects, which neither JSON nor an inspection shows.
 */
export interface TeamKey {
  /** 32 hex digits: tells keys apart, tells nothing of the key. It stands in settings and in the store. */
  id: string;
  secret: KeyObject;
  /** Encrypts values: AES-256. */
  values: KeyObject;
  /** Computes names: HMAC-SHA-256. */
  names: KeyObject;
  /** Encrypts what names stand for: AES-256. */
  hidden: KeyObject;
}

const BYTES = 32;
/** The form that is written: its prefix lets the redaction find a key in a conversation. */
const PREFIX = 'cck1_';

/** @param secret 32 bytes. */
export function teamKey(secret: Buffer): TeamKey {
  if (secret.length !== BYTES) throw new RangeError(`a key has ${BYTES} bytes`);
  const derived = (use: string, length: number) => Buffer.from(hkdfSync('sha256', secret, '', `cc-context 1 ${use}`, length));
  const keyFor = (use: string) => createSecretKey(derived(use, BYTES));
  return {
    id: derived('id', 16).toString('hex'),
    secret: createSecretKey(secret),
    values: keyFor('values'),
    names: keyFor('names'),
    hidden: keyFor('hidden'),
  };
}

export const newTeamKey = (): TeamKey => teamKey(randomBytes(BYTES));

export const isKeyId = (text: unknown): text is string => typeof text === 'string' && /^[0-9a-f]{32}$/.test(text);

/**
 * Reads keys, the newest first: in the form of `formatTeamKeys`, in hex or in base64, one a line or with blanks or commas between; `#` begins a comment.
 * @returns the keys, each once, or the place of what is no key: never what stands there.
 */
export function parseTeamKeys(text: string): { keys: TeamKey[] } | { problem: string } {
  const keys = new Map<string, TeamKey>();
  for (const [at, line] of text.split(/\r?\n/).entries()) {
    for (const word of line
      .replace(/#.*/, '')
      .split(/[\s,]+/)
      .filter(Boolean)) {
      const secret = decode(word);
      if (secret === null) return { problem: `line ${at + 1} is no key of 32 bytes in hex or base64` };
      const key = teamKey(secret);
      keys.set(key.id, key);
    }
  }
  return keys.size === 0 ? { problem: 'there is no key in it' } : { keys: [...keys.values()] };
}

/** The text of a key file, the newest first. */
export function formatTeamKeys(keys: TeamKey[]): string {
  const lines = keys.map(({ id, secret }) => `# ${id}\n${PREFIX}${secret.export().toString('hex')}\n`);
  return `# Keys of cc-context, the newest first. Whoever has one can read the conversations encrypted with it: never commit this file.\n${lines.join('')}`;
}

function decode(word: string): Buffer | null {
  const hex = word.startsWith(PREFIX) ? word.slice(PREFIX.length) : word;
  if (/^[0-9a-f]{64}$/i.test(hex)) return Buffer.from(hex, 'hex');
  if (!/^([\w-]{43}|[A-Za-z0-9+/]{43})=?$/.test(word)) return null;
  return Buffer.from(word, 'base64'); // reads both alphabets
}
