import { newPrompts } from '../context/conversations.ts';
import { type CommitContexts, contextsOf } from '../context/of-commits.ts';
import { type Snapshot, shortContext, unionOf } from '../core/snapshot.ts';
import { openRepository } from '../git/repository.ts';
import { columns, shorten } from '../ui/columns.ts';
import { directoryOf, type Options, type Output } from '../ui/run.ts';
import { plural } from '../ui/words.ts';

export interface ListOptions {
  cwd: string;
  /** A revision range; HEAD by default. */
  range?: string | undefined;
  /** At most this many commits; 0 for all. */
  limit: number;
  author?: string | undefined;
  /** Also what was asked: the prompts that are new in each commit. */
  prompts?: boolean | undefined;
}

export interface ListedCommit {
  commit: string;
  subject: string;
  author: string;
  date: string;
  is_merge: boolean;
  has_context: boolean;
  /** Why there is no context. */
  reason?: string;
  /** Snapshot files of the commit that cannot be read, one sentence each. */
  problems?: string[];
  contexts: Pick<Snapshot, 'context_id' | 'total_messages' | 'new_messages_since_parent' | 'sessions'>[];
  /** With `prompts`: the prompts that are new in this commit, oldest first; null when its content is not in the store here. */
  prompts?: string[] | null;
}

/** The commits of a range and the contexts they own, newest first. Needs nothing but the repository. @throws UserError */
export async function list({ cwd, range, limit, author, prompts }: ListOptions): Promise<ListedCommit[]> {
  const repository = await openRepository(cwd);
  const options = [...(limit > 0 ? ['-n', String(limit)] : []), ...(author === undefined ? [] : [`--author=${author}`])];
  const commits = await contextsOf([range ?? 'HEAD'], repository.top, options);
  const asked = prompts ? await newPrompts(commits, repository) : null;
  return commits.map((commit) => ({
    ...listed(commit),
    ...(asked === null ? {} : { prompts: asked.get(commit.commit) ?? null }),
  }));
}

function listed(found: CommitContexts): ListedCommit {
  const { commit, subject, author, date, parents, contexts, problems } = found;
  const is_merge = parents.length > 1;
  const has_context = contexts.length > 0;
  return {
    commit,
    subject,
    author,
    date,
    is_merge,
    has_context,
    ...(has_context ? {} : { reason: problems[0] ?? reasonOf(found) }),
    ...(problems.length > 0 ? { problems } : {}),
    contexts: contexts.map(({ context_id, total_messages, new_messages_since_parent, sessions }) => ({
      context_id,
      total_messages,
      new_messages_since_parent,
      sessions,
    })),
  };
}

function reasonOf({ parents, cut_off }: CommitContexts): string {
  if (cut_off) return 'not known: the history of this shallow clone begins here';
  return parents.length > 1 ? 'context reset on merge' : 'no context';
}

/** The list as a person reads it. */
export function renderList(commits: ListedCommit[]): string {
  const rows = commits.map((commit) => [
    commit.commit.slice(0, 7),
    shorten(commit.subject, 50),
    commit.author.replace(/ <.*/, ''),
    about(commit),
  ]);
  const lines = columns(rows);
  return commits.map((commit, at) => [lines[at], ...problemLines(commit), ...promptLines(commit)].join('\n')).join('\n');
}

function about({ contexts, reason }: ListedCommit): string {
  if (contexts.length === 0) return reason ?? '';
  const { sessions, total_messages, new_messages } = unionOf(contexts);
  const ids = contexts.map(({ context_id }) => shortContext(context_id)).join(', ');
  return `${ids}  ${plural(sessions, 'session')}, ${plural(total_messages, 'message')} (${new_messages} new)`;
}

/** A commit without a context says its problem in its own line. */
function problemLines({ problems = [], has_context }: ListedCommit): string[] {
  return problems.slice(has_context ? 0 : 1).map((problem) => `        ! ${problem}`);
}

function promptLines({ prompts, has_context }: ListedCommit): string[] {
  if (prompts === undefined || !has_context) return [];
  if (prompts === null) return ['          (the conversation is not in the store on this machine)'];
  return prompts.map((prompt) => `        > ${shorten(prompt.replace(/\s+/g, ' ').trim(), 100)}`);
}

/** `cc-list [range]`. */
export async function listCommand(range: string | undefined, options: Options): Promise<Output> {
  const limit = options['limit'] as number;
  const author = options['author'] as string | undefined;
  const data = await list({ cwd: directoryOf(options), range, limit, author, prompts: options['prompts'] === true });
  return { data, text: renderList(data) };
}
