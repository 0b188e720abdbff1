import { findTranscript } from '../claude/discover.ts';
import { configDir } from '../claude/paths.ts';
import { readSharedStore } from '../config/shared-store.ts';
import { contextsOf, findContext } from '../context/of-commits.ts';
import { type FoundInStore, findSessions, purgeSessions } from '../context/purge.ts';
import { openTeamStore, withStores } from '../context/stores.ts';
import type { Removal } from '../core/tombstone.ts';
import { UserError } from '../errors.ts';
import { authorOf, openRepository, type Repository } from '../git/repository.ts';
import { keepingMessages as messages } from '../messages.ts';
import type { BlobStore } from '../storage/blob-store.ts';
import { askPerson } from '../ui/ask.ts';
import { directoryOf, type Options, type Output } from '../ui/run.ts';

export interface PurgeOptions {
  cwd: string;
  /** The id of a session, or a unique beginning of it. */
  session?: string | undefined;
  /** The id of a context: all its sessions. */
  context?: string | undefined;
  /** For whoever finds the tombstone. */
  reason?: string | undefined;
  /** Only on this machine. */
  local?: boolean | undefined;
  dryRun?: boolean | undefined;
  confirm: (question: string) => Promise<boolean>;
}

export interface PurgeResult {
  sessions: string[];
  stores: FoundInStore[];
  dry_run: boolean;
  /** What still has it, and what went wrong: one sentence each. */
  warnings: string[];
}

/** Removes sessions from the stores for good. @throws UserError, StoreError */
export async function purge(options: PurgeOptions): Promise<PurgeResult> {
  const { reason = null, dryRun = false } = options;
  const repository = await openRepository(options.cwd);
  const sessions = await sessionsToPurge(options, repository);
  const remote = options.local === true ? null : await teamStore(repository);
  try {
    return await withStores(repository, async (stores) => {
      const found = await findSessions(sessions, stores, remote);
      const warnings = [...found.flatMap(({ problems }) => problems), ...remains(sessions, found)];
      if (
        found.every(({ contexts, blobs }) => contexts + blobs === 0) &&
        (await stores.contexts.purgedSessions(sessions)).size > 0
      )
        return { sessions, stores: found, dry_run: dryRun, warnings };
      if (!dryRun) {
        if (!(await options.confirm(messages.purgeThis(sessions, found)))) throw new UserError('Nothing was removed.');
        const at = new Date().toISOString();
        const removal: Removal = { version: 1, kind: 'purge', sessions, at, by: await authorOf(repository.top), reason };
        warnings.push(...(await purgeSessions(removal, stores, remote)));
      }
      return { sessions, stores: found, dry_run: dryRun, warnings };
    });
  } finally {
    await remote?.close();
  }
}

async function teamStore(repository: Repository): Promise<BlobStore | null> {
  const shared = await readSharedStore(repository);
  if (shared === null) return null;
  if (!shared.trusted) throw new UserError(...messages.purgeUntrusted(shared.url));
  return await openTeamStore(shared, repository);
}

const WHOLE_ID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

async function sessionsToPurge({ session, context }: PurgeOptions, { top }: Repository): Promise<string[]> {
  if ((session === undefined) === (context === undefined))
    throw new UserError('Name one session, or a context with --context.', 'See what there is with: cc-list --json');
  if (context !== undefined) return idsIn((await findContext(context, top)).contexts);
  const beginning = (session as string).toLowerCase();
  if (WHOLE_ID.test(beginning)) return [beginning]; // it need not be known here
  const known = idsIn((await contextsOf(['--all'], top)).flatMap(({ contexts }) => contexts));
  const found = beginning === '' ? [] : known.filter((id) => id.startsWith(beginning));
  if (found.length === 1) return found;
  throw new UserError(
    found.length === 0 ? `No commit has a session ${session}.` : `"${session}" names more than one session: ${found.join(', ')}.`,
    'Give the whole id.',
  );
}

function idsIn(contexts: { sessions: { session_id: string }[] }[]): string[] {
  return [...new Set(contexts.flatMap(({ sessions }) => sessions.map(({ session_id }) => session_id)))].sort();
}

/** Where the content still is afterwards. */
function remains(sessions: string[], found: FoundInStore[]): string[] {
  const config = configDir();
  const transcripts = sessions.flatMap((id) => (config === null ? [] : (findTranscript(config, id)?.path ?? [])));
  const sharers = [...new Set(found.flatMap(({ shared_with }) => shared_with))];
  return [
    ...(sharers.length === 0 ? [] : [messages.purgeShared(sharers)]),
    ...transcripts.map(messages.purgeTranscript),
    ...(found.length > 1 ? [messages.purgeElsewhere] : []),
  ];
}

/** `cc-context purge [session]`. */
export async function purgeCommand(session: string | undefined, options: Options): Promise<Output> {
  const data = await purge({
    cwd: directoryOf(options),
    session,
    context: options['context'] as string | undefined,
    reason: options['reason'] as string | undefined,
    local: options['local'] === true,
    dryRun: options['dryRun'] === true,
    confirm: options['yes'] === true ? async () => true : askPerson,
  });
  return { data, text: messages.purged(data), warnings: data.warnings };
}
