import { randomUUID } from 'node:crypto';
import { createReadStream, realpathSync } from 'node:fs';
import { join } from 'node:path';
import type { Progress } from '../capture/read-file.ts';
import { accountOf } from '../claude/account.ts';
import { launch } from '../claude/launch.ts';
import { configDir } from '../claude/paths.ts';
import { projectDirOf, rehearseSession, type SessionOutput, writeSession } from '../claude/write-session.ts';
import type { CommitContexts } from '../context/of-commits.ts';
import { rebuildExactly } from '../context/rebuild/exactly.ts';
import type { Fit } from '../context/rebuild/fit.ts';
import type { Place, Rebuilt } from '../context/rebuild/place.ts';
import { rebuildPortable } from '../context/rebuild/portably.ts';
import { withSpool } from '../context/spool.ts';
import { withContext } from '../context/stores.ts';
import type { Account } from '../core/account-book.ts';
import type { ManifestSession } from '../core/manifest.ts';
import { movesOf } from '../core/moved-paths.ts';
import { UserError } from '../errors.ts';
import { type Repository, readHead } from '../git/repository.ts';
import { messages } from '../messages.ts';
import type { ContextStore } from '../storage/context-store.ts';
import type { LocalState } from '../storage/local-state.ts';
import { renderAccount } from '../ui/account.ts';
import { askPerson } from '../ui/ask.ts';
import { printable } from '../ui/columns.ts';
import { directoryOf, type Options, type Output } from '../ui/run.ts';
import { nextSessions } from './status.ts';

export interface RestoreOptions {
  cwd: string;
  /** A commit or a context id; HEAD by default. */
  name: string;
  /** Only this session of the context. */
  session?: string | undefined;
  /** Each session as its own instead of one merged session. */
  separate?: boolean | undefined;
  /** Tell what would be written, write nothing. */
  dryRun?: boolean | undefined;
  /** Also rewrite paths in the repository where tools were given or gave them: to this clone. */
  rewritePaths?: boolean | undefined;
  /** Restore only the newest turns that fit into so many tokens. */
  budget?: number | undefined;
  /** Read back what was written, and account for everything that was captured. */
  verify?: boolean | undefined;
  /** Asked when active sessions exist; false ends the restore. */
  confirm: (question: string) => Promise<boolean>;
}

export interface Restored {
  mode: 'restore';
  /** Why the sessions have the form they have. */
  reason: string;
  commit: string;
  context_ids: string[];
  sessions: { session_id: string; path: string }[];
  /** What continues the (first) session. */
  command: string[];
  /** Directory the command has to run in. */
  directory: string;
  messages: number;
  /** How many captured sessions they come from. */
  from_sessions: number;
  /** How large each session is for the model. */
  fit: Fit[];
  /** With `verify`: what went in and came out of each session, and why they differ. */
  accounts?: Account[];
  warnings: string[];
  dry_run: boolean;
}

/**
 * Rebuilds the conversation of a commit as a session that `claude --resume` continues.
 * @throws UserError, IntegrityError: one sentence, and nothing was written.
 */
export async function restore(options: RestoreOptions): Promise<Restored> {
  const config = configDir();
  if (config === null)
    throw new UserError('There is no home directory with a Claude Code configuration.', 'Set HOME or CLAUDE_CONFIG_DIR.');
  return await withContext(options, (context) =>
    withSpool(async (spool) => {
      const { repository, found, sessions, store, stores } = context;
      const directory = workingDirectory(sessions, repository);
      const title = `${found.subject} (${found.commit.slice(0, 7)})`;
      const projectDir = projectDirOf(config, directory);
      const place: Place = {
        directory,
        account: accountOf(config),
        now: new Date(),
        title,
        spool,
        projectDir,
        tops: options.rewritePaths ? movesOf(sessions, repository.top) : [],
        budget: options.budget ?? null,
        verify: options.verify === true,
        capturedHere: (id) => stores.state.captures(id).length > 0,
      };
      const groups = options.separate ? sessions.map((session) => [session]) : [sessions];
      const rebuilt: Rebuilt[] = [];
      for (const group of groups) rebuilt.push(await rebuild(group, place, store));
      if (!options.dryRun) {
        await ask(options, repository, stores.state);
        const sizes = await writeSession(
          projectDir,
          rebuilt.flatMap(({ files }) => files),
        );
        remember(rebuilt, sizes, projectDir, found, stores.state);
      }
      const accounts = await accountsOf(rebuilt, options.dryRun ? null : projectDir);
      return {
        mode: 'restore',
        reason: rebuilt[0]?.reason ?? '',
        commit: found.commit,
        context_ids: found.contexts.map(({ context_id }) => context_id),
        sessions: rebuilt.map(({ session_id }) => ({ session_id, path: join(projectDir, `${session_id}.jsonl`) })),
        command: ['claude', '--resume', rebuilt[0]?.session_id ?? ''],
        directory,
        messages: rebuilt.reduce((sum, { message_count }) => sum + message_count, 0),
        from_sessions: sessions.length,
        fit: rebuilt.map(({ fit }) => fit),
        ...(options.verify ? { accounts } : {}),
        warnings: [
          ...found.problems,
          ...rebuilt.flatMap(({ warnings }) => warnings),
          ...rebuilt.flatMap(({ fit }) => tooLarge(fit, groups)),
        ],
        dry_run: options.dryRun === true,
      };
    }),
  );
}

async function rebuild(sessions: ManifestSession[], place: Place, store: ContextStore): Promise<Rebuilt> {
  const [only] = sessions;
  const exactly = only !== undefined && sessions.length === 1 ? await rebuildExactly(only, place, store, randomUUID()) : null;
  return exactly ?? (await rebuildPortable(sessions, place, store, randomUUID()));
}

/** Takes all that would be written (in a dry run) or was, and accounts for it where that was asked for. */
async function accountsOf(rebuilt: Rebuilt[], projectDir: string | null): Promise<Account[]> {
  const accounts: Account[] = [];
  for (const { account, files } of rebuilt) {
    const [transcript, ...others] = files.toReversed() as [SessionOutput, ...SessionOutput[]];
    if (projectDir === null) await rehearseSession(account === null ? files : others);
    if (account === null) continue;
    accounts.push(await account(projectDir === null ? transcript.bytes : createReadStream(join(projectDir, transcript.path))));
  }
  return accounts;
}

function tooLarge({ tokens, overhead, window }: Fit, groups: ManifestSession[][]): string[] {
  if (tokens <= window) return [];
  const several = groups.some((group) => group.length > 1);
  return [messages.tooLarge({ tokens, overhead, window, several })];
}

/** Where the session goes on: where all its sessions worked, when that exists in this work tree too; else at the top. */
function workingDirectory(sessions: ManifestSession[], { top }: Repository): string {
  const directories = new Set(sessions.map(({ cwd }) => cwd));
  const [only] = directories;
  if (directories.size !== 1 || only === null || only === undefined) return top;
  try {
    const real = realpathSync(join(top, only));
    return real === top || real.startsWith(`${top}/`) ? real : top;
  } catch {
    return top; // the directory is not in this commit
  }
}

async function ask({ confirm }: RestoreOptions, repository: Repository, state: LocalState<Progress>): Promise<void> {
  const sessions = await nextSessions(repository, await readHead(repository.top), state);
  const uncaptured = sessions.filter(({ captured }) => !captured);
  if (uncaptured.length === 0) return;
  if (!(await confirm(messages.activeSessions(uncaptured)))) throw new UserError('Nothing was restored.');
}

/** So that the next commit knows the restored sessions: what they continue, and that their content is stored already. */
function remember(
  rebuilt: Rebuilt[],
  sizes: Map<string, number>,
  projectDir: string,
  found: CommitContexts,
  state: LocalState<Progress>,
): void {
  const [path, context_id] = [found.snapshots[0]?.path ?? '', found.contexts[0]?.context_id ?? ''];
  const captures = rebuilt.map(({ session_id, message_count }) => ({
    context_id,
    session_id,
    path,
    message_count,
    size: sizes.get(`${session_id}.jsonl`) ?? 0,
  }));
  const progress = rebuilt.flatMap((one): [string, Progress][] =>
    one.progress === null ? [] : [[join(projectDir, `${one.session_id}.jsonl`), one.progress]],
  );
  state.restored(captures, new Map(progress));
}

/** The result as a person reads it. */
export function renderRestored(restored: Restored, cwd: string): string {
  const { commit, messages: count, from_sessions, sessions, command, directory, dry_run, fit, accounts = [] } = restored;
  const text = messages.restored({
    commit,
    count,
    from_sessions,
    sessions,
    command,
    directory: directory === cwd ? null : directory,
    dry_run,
    omitted_turns: fit.reduce((sum, { omitted_turns }) => sum + omitted_turns, 0),
  });
  return [text, ...accounts.map(renderAccount)].join('\n\n');
}

/** `cc-restore [commit]`. */
export async function restoreCommand(name: string, options: Options): Promise<Output> {
  const cwd = directoryOf(options);
  const data = await restore({
    cwd,
    name,
    session: options['session'] as string | undefined,
    separate: options['separate'] === true,
    dryRun: options['dryRun'] === true,
    rewritePaths: options['rewritePaths'] === true,
    budget: options['budget'] as number | undefined,
    verify: options['verify'] === true,
    confirm: options['yes'] === true ? async () => true : askPerson,
  });
  const { warnings } = data;
  const text = renderRestored(data, cwd);
  // What cannot be accounted for is no success, though the session is there to look at.
  if (data.accounts?.some(({ unexplained }) => unexplained.length > 0)) return { data, text, warnings, code: 1 };
  if (!options['launch'] || data.dry_run) return { data, text, warnings };
  process.stderr.write(`${printable(text)}\n`);
  return { data, text: '', warnings, code: await launch(data.command, data.directory) };
}
