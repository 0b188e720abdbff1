import * as z from 'zod';
import { sha256 } from '../core/hash.ts';
import { SNAPSHOT_DIR } from '../core/snapshot.ts';
import { isKeyId } from '../core/team-key.ts';
import { UserError } from '../errors.ts';
import { git } from '../git/git.ts';
import type { Repository } from '../git/repository.ts';
import { readGitConfig } from './git-config.ts';

/** Where a team keeps its contexts, as a repository or a person has set it. */
export interface SharedStore {
  /** `s3://bucket/prefix?endpoint=…`, `file:///folder`, `npm:adapter`. */
  url: string;
  /** Who says so: the person (environment, git config), or a file that is committed. */
  source: 'CC_CONTEXT_STORE' | 'git config' | 'committed';
  /** A `git push` fails when the conversations of its commits cannot be uploaded. */
  require_push: boolean;
  /** Null: what is uploaded is not encrypted. */
  encryption: Encryption | null;
  /** Identifies all of it: the person's consent is to exactly this. */
  fingerprint: string;
  /** Whether conversations may go there, and be asked for there. What a person has set is trusted, unless it was used with encryption before. */
  trusted: boolean;
}

/** Nothing is uploaded that is not encrypted. */
export interface Encryption {
  /** The team's key, by the id that is committed; null where a person has switched it on for themselves: their newest key. */
  key_id: string | null;
}

/** The committed settings. */
export const CONFIG_PATH = `${SNAPSHOT_DIR}/config.json`;
/** A committed file that is larger is none of ours (bytes). */
const LARGEST = 64 * 1024;

/** What is asked about and printed has to say the same as what is used: nothing invisible, no sentence. */
const PLAIN_URL = /^[\x21-\x7e]{1,2000}$/;

const configSchema = z.looseObject({
  version: z.literal(1),
  store: z.string().regex(PLAIN_URL, 'no URL of printable characters without spaces').optional(),
  push: z.looseObject({ require: z.boolean().optional() }).optional(),
  encryption: z
    .looseObject({ required: z.boolean().optional(), key_id: z.string().refine(isKeyId, 'no id of a key').optional() })
    .refine(({ required, key_id }) => required !== true || key_id !== undefined, 'required without a key_id')
    .optional(),
});

/**
 * Reads where the team's store is: the environment, then `git config cc-context.store`, then the committed file of HEAD. `none` in one of the
 * first two is no store, whatever is committed. Encryption is on when the committed file or the person says so: neither switches off what the
 * other has switched on.
 * @throws UserError when the committed file is not understood.
 */
export async function readSharedStore({ top }: Repository, env: NodeJS.ProcessEnv = process.env): Promise<SharedStore | null> {
  const configured = await readGitConfig(top);
  const own = env['CC_CONTEXT_STORE'] ?? configured.get('cc-context.store');
  if (own === '' || own === 'none') return null;
  // A file that is not understood takes nobody's own store away.
  const committed = await readCommitted(top).catch((error: unknown) => {
    if (own === undefined) throw error;
    return null;
  });
  const url = own ?? committed?.store;
  if (url === undefined || url === 'none') return null;
  if (!PLAIN_URL.test(url)) throw new UserError('The store that is set is no URL.', 'See: git config cc-context.store');
  const encryption = committedEncryption(committed) ?? (configured.get(OWN_ENCRYPTION) === 'true' ? { key_id: null } : null);
  const fingerprint = fingerprintOf(url, encryption);
  const source = env['CC_CONTEXT_STORE'] !== undefined ? 'CC_CONTEXT_STORE' : own !== undefined ? 'git config' : 'committed';
  const wasEncrypted = encryption === null && configured.get(ENCRYPTED_STORE) === url;
  const trusted = source === 'committed' ? configured.get('cc-context.trusted') === fingerprint : !wasEncrypted;
  // A repository may not refuse the pushes of people who have not agreed to its store.
  const require_push = configured.has('cc-context.push.require')
    ? configured.get('cc-context.push.require') === 'true'
    : trusted && committed?.push?.require === true;
  return { url, source, require_push, encryption, fingerprint, trusted };
}

const OWN_ENCRYPTION = 'cc-context.encryption.required';
/** The store that a person has set themselves and that was used with encryption: without it, as on a commit from before, they are asked. */
const ENCRYPTED_STORE = 'cc-context.encryptedstore';

/** What a person agrees to: exactly these settings, and no others. */
export function fingerprintOf(url: string, encryption: Encryption | null): string {
  return sha256(JSON.stringify(encryption === null ? { url } : { url, encryption: { key_id: encryption.key_id } }));
}

/** The encryption that settings ask for, as they are in a file that is to be committed. @throws UserError when they are not understood. */
export function encryptionIn(settings: object): Encryption | null {
  return committedEncryption(understood(settings));
}

function committedEncryption(settings: Committed | null): Encryption | null {
  const { required, key_id } = settings?.encryption ?? {};
  return required === true && key_id !== undefined ? { key_id } : null;
}

/** Notes that the person agrees to a store, in the repository's own configuration: no clone brings it along. */
export async function trust({ top }: Repository, { fingerprint }: Pick<SharedStore, 'fingerprint'>): Promise<void> {
  await git(['config', '--local', 'cc-context.trusted', fingerprint], { cwd: top });
  await git(['config', '--local', '--unset-all', ENCRYPTED_STORE], { cwd: top });
}

/** Whether the person has agreed to exactly these settings. */
export async function isTrusted({ top }: Repository, fingerprint: string): Promise<boolean> {
  return (await readGitConfig(top)).get('cc-context.trusted') === fingerprint;
}

/** Notes that a store is used with encryption, so that it is not used without it before the person has agreed. */
export async function noteEncrypted({ top }: Repository, { url, source, encryption }: SharedStore): Promise<void> {
  if (encryption === null || source === 'committed') return; // then the fingerprint tells
  if ((await readGitConfig(top)).get(ENCRYPTED_STORE) !== url)
    await git(['config', '--local', ENCRYPTED_STORE, url], { cwd: top });
}

type Committed = z.infer<typeof configSchema>;

async function readCommitted(top: string): Promise<Committed | null> {
  const bytes = await readCommittedFile(CONFIG_PATH, top);
  return bytes === null ? null : understood(parseJson(bytes));
}

/**
 * Reads a file of HEAD: not what happens to lie in the work tree, and only a regular file.
 * @returns empty when it is larger than anything of ours, null when there is none.
 */
export async function readCommittedFile(path: string, top: string): Promise<Buffer | null> {
  const tree = await git(['ls-tree', '-l', 'HEAD', '--', `:(top,literal)${path}`], { cwd: top });
  const [, mode, oid, size] = /^(\d+) blob ([0-9a-f]+) +(\d+)\t/.exec(tree.stdout.toString('utf8')) ?? [];
  if (oid === undefined || mode !== '100644') return null;
  return Number(size) <= LARGEST ? (await git(['cat-file', 'blob', oid], { cwd: top })).stdout : Buffer.alloc(0);
}

function understood(settings: unknown): Committed {
  const parsed = configSchema.safeParse(settings);
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  throw new UserError(
    `The committed settings ${CONFIG_PATH} are not understood (${issue?.path.join('.') || 'the file'}: ${issue?.message ?? ''}).`,
    'Mend the file, or set a store of your own: git config cc-context.store <url>',
  );
}

function parseJson(bytes: Buffer): unknown {
  try {
    return JSON.parse(bytes.toString('utf8'));
  } catch {
    return undefined;
  }
}
