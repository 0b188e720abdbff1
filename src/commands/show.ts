import { randomUUID } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { allMessages } from '../claude/conversation.ts';
import { readRecords } from '../claude/records.ts';
import { dataDir } from '../config/settings.ts';
import { conversationOf } from '../context/conversations.ts';
import { namedContexts } from '../context/of-commits.ts';
import { rebuildPortable } from '../context/rebuild.ts';
import { fileBytes, selectSession, sessionsOf, transcriptOf } from '../context/sessions.ts';
import type { Message, Turn } from '../core/conversation.ts';
import { mergeConversations, turnsOf } from '../core/merge.ts';
import { shortContext } from '../core/snapshot.ts';
import { UserError } from '../errors.ts';
import { openRepository } from '../git/repository.ts';
import { openStores } from '../storage/open.ts';
import { printableJson } from '../ui/columns.ts';
import { type ContextView, contextMarkdown, contextText } from '../ui/context-text.ts';
import { htmlPage } from '../ui/html.ts';
import { directoryOf, type Options, type Output } from '../ui/run.ts';
import { plural } from '../ui/words.ts';

export interface ShowOptions {
  cwd: string;
  /** A commit or a context id; HEAD by default. */
  name: string;
  session?: string | undefined;
  /** Every message of the files, abandoned branches included. */
  allBranches?: boolean | undefined;
}

export interface ShownContext {
  commit: string;
  context_ids: string[];
  sessions: {
    session_id: string;
    message_count: number;
    agent_version: string | null;
    started_at: string | null;
    ended_at: string | null;
    author: string;
  }[];
  /** In order of time; whole turns. */
  messages: (Message & { session_id: string })[];
  /** Snapshot files of the commit that cannot be read, one sentence each. */
  warnings: string[];
}

/** A context to read: its sessions and what was said, in order. @throws UserError, IntegrityError */
export async function show({ cwd, name, session, allBranches }: ShowOptions): Promise<ShownContext> {
  const repository = await openRepository(cwd);
  const found = await namedContexts(name, repository.top);
  const stores = await openStores({ dataDir: dataDir(), commonDir: repository.commonDir });
  try {
    const all = await sessionsOf(found.contexts, stores.contexts);
    const chosen = session === undefined ? all : [selectSession(all, session)];
    const shown: ShownContext['messages'] = [];
    if (allBranches) {
      for (const one of chosen) {
        const records = readRecords(await fileBytes(transcriptOf(one), stores.contexts)).records;
        shown.push(...allMessages(one.session_id, records).map((message) => ({ ...message, session_id: one.session_id })));
      }
    } else {
      const conversations = await Promise.all(chosen.map((one) => conversationOf(one, stores.contexts)));
      const turns = turnsOf(mergeConversations(conversations));
      shown.push(...turns.flatMap((turn: Turn) => turn.messages.map((message) => ({ ...message, session_id: turn.session_id }))));
    }
    return {
      commit: found.commit,
      context_ids: found.contexts.map(({ context_id }) => context_id),
      sessions: chosen.map(({ session_id, message_count, agent_version, started_at, ended_at }) => ({
        session_id,
        message_count,
        agent_version,
        started_at,
        ended_at,
        author: found.author,
      })),
      messages: shown,
      warnings: found.problems,
    };
  } finally {
    await stores.close();
  }
}

/**
 * The merged session as Claude Code's own records, a JSON object a line: what a restore would write for somebody else.
 * @throws UserError, IntegrityError
 */
export async function mergedRecords({ cwd, name, session }: ShowOptions): Promise<object[]> {
  const repository = await openRepository(cwd);
  const found = await namedContexts(name, repository.top);
  const stores = await openStores({ dataDir: dataDir(), commonDir: repository.commonDir });
  try {
    const all = await sessionsOf(found.contexts, stores.contexts);
    const chosen = session === undefined ? all : [selectSession(all, session)];
    const place = { directory: repository.top, account: null, now: new Date(), title: found.subject };
    const { files } = await rebuildPortable(chosen, place, stores.contexts, randomUUID());
    return readRecords(files.at(-1)?.bytes ?? []).records;
  } finally {
    await stores.close();
  }
}

/** `cc-show [commit]`. */
export async function showCommand(name: string, options: Options): Promise<Output> {
  const cwd = directoryOf(options);
  const asked: ShowOptions = {
    cwd,
    name,
    session: options['session'] as string | undefined,
    allBranches: options['allBranches'] === true,
  };
  if (options['jsonl'] === true) {
    const records = await mergedRecords(asked);
    return { data: records, text: records.map((record) => printableJson(record)).join('\n') };
  }
  const data = await show(asked);
  const { warnings, messages, sessions, commit, context_ids } = data;
  const title = `Claude context of commit ${commit.slice(0, 7)} (${context_ids.map(shortContext).join(', ')}), ${plural(sessions.length, 'session')}, by ${sessions[0]?.author ?? ''}`;
  const view = { title, messages, tools: options['tools'] === true };
  if (options['html'] !== undefined) return { data, text: writePage(resolve(cwd, String(options['html'])), view), warnings };
  return { data, text: options['markdown'] === true ? contextMarkdown(view) : contextText(view), warnings };
}

function writePage(path: string, view: ContextView): string {
  try {
    writeFileSync(path, htmlPage(view), { mode: 0o600 });
  } catch (cause) {
    throw new UserError(`The page could not be written to ${path}.`, 'Name a file in a folder that you can write to.', { cause });
  }
  return `✓ Written: ${path}`;
}
