import * as z from 'zod';
import { sha256 } from '../core/hash.ts';
import { SNAPSHOT_DIR } from '../core/snapshot.ts';
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
  /** Identifies all of it: the person's consent is to exactly this. */
  fingerprint: string;
  /** Whether conversations may go there, and be asked for there. What a person has set is trusted. */
  trusted: boolean;
}

/** The committed settings. */
export const CONFIG_PATH = `${SNAPSHOT_DIR}/config.json`;
/** A committed file that is larger is none of ours (bytes). */
const LARGEST = 64 * 1024;

const configSchema = z.looseObject({
  version: z.literal(1),
  store: z.string().min(1).max(2000).optional(),
  push: z.looseObject({ require: z.boolean().optional() }).optional(),
});

/**
 * Reads where the team's store is: the environment, then `git config cc-context.store`, then the committed file of HEAD. `none` in one of the
 * first two is no store, whatever is committed.
 * @throws UserError when the committed file is not understood.
 */
export async function readSharedStore({ top }: Repository, env: NodeJS.ProcessEnv = process.env): Promise<SharedStore | null> {
  const [committed, configured] = await Promise.all([readCommitted(top), readGitConfig(top)]);
  const own = env['CC_CONTEXT_STORE'] ?? configured.get('cc-context.store');
  const url = own ?? committed?.store;
  if (url === undefined || url === '' || url === 'none') return null;
  const require_push = configured.has('cc-context.push.require')
    ? configured.get('cc-context.push.require') === 'true'
    : committed?.push?.require === true;
  const fingerprint = fingerprintOf(url);
  const source = env['CC_CONTEXT_STORE'] !== undefined ? 'CC_CONTEXT_STORE' : own !== undefined ? 'git config' : 'committed';
  const trusted = source !== 'committed' || configured.get('cc-context.trusted') === fingerprint;
  return { url, source, require_push, fingerprint, trusted };
}

/** What a person agrees to: exactly these settings, and no others. */
export function fingerprintOf(url: string): string {
  return sha256(JSON.stringify({ url }));
}

/** Notes that the person agrees to a store, in the repository's own configuration: no clone brings it along. */
export async function trust({ top }: Repository, { fingerprint }: Pick<SharedStore, 'fingerprint'>): Promise<void> {
  await git(['config', '--local', 'cc-context.trusted', fingerprint], { cwd: top });
}

type Committed = z.infer<typeof configSchema>;

async function readCommitted(top: string): Promise<Committed | null> {
  // Only a regular file counts, and only what is committed: not what happens to lie in the work tree.
  const tree = await git(['ls-tree', '-l', 'HEAD', '--', `:(top,literal)${CONFIG_PATH}`], { cwd: top });
  const [, mode, oid, size] = /^(\d+) blob ([0-9a-f]+) +(\d+)\t/.exec(tree.stdout.toString('utf8')) ?? [];
  if (oid === undefined || mode !== '100644') return null;
  const bytes = Number(size) <= LARGEST ? (await git(['cat-file', 'blob', oid], { cwd: top })).stdout : null;
  const parsed = configSchema.safeParse(parseJson(bytes));
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  throw new UserError(
    `The committed settings ${CONFIG_PATH} are not understood (${issue?.path.join('.') || 'the file'}: ${issue?.message ?? ''}).`,
    'Mend the file, or set a store of your own: git config cc-context.store <url>',
  );
}

function parseJson(bytes: Buffer | null): unknown {
  try {
    return bytes === null ? undefined : JSON.parse(bytes.toString('utf8'));
  } catch {
    return undefined;
  }
}
