import { allMessages } from '../claude/conversation.ts';
import { readRecords } from '../claude/records.ts';
import { dataDir } from '../config/settings.ts';
import { conversationOf } from '../context/conversations.ts';
import { namedContexts } from '../context/of-commits.ts';
import { fileBytes, selectSession, sessionsOf, transcriptOf } from '../context/sessions.ts';
import type { Message, Turn } from '../core/conversation.ts';
import { mergeConversations, turnsOf } from '../core/merge.ts';
import { shortContext } from '../core/snapshot.ts';
import { openRepository } from '../git/repository.ts';
import { openStores } from '../storage/open.ts';
import { printableJson } from '../ui/columns.ts';
import { messageText } from '../ui/message-text.ts';
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

/** The context as text, or as Markdown. */
export function renderShown(shown: ShownContext, { markdown, tools }: { markdown: boolean; tools: boolean }): string {
  const { commit, context_ids, sessions, messages } = shown;
  const head = `${markdown ? '# ' : ''}Claude context of commit ${commit.slice(0, 7)} (${context_ids.map(shortContext).join(', ')}), ${plural(sessions.length, 'session')}, by ${sessions[0]?.author ?? ''}`;
  const readable = messages
    .map((message) => ({ ...message, text: message.meta ? '' : messageText(message, { tools }) }))
    .filter(({ text }) => text !== '');
  const parts = readable.flatMap(({ text, ...message }, at) => {
    const changes = message.session_id !== readable[at - 1]?.session_id;
    const who =
      message.role === 'user' ? (message.content.every(({ type }) => type === 'tool_result') ? 'tool' : 'user') : 'claude';
    const title = markdown ? `### ${who} · ${message.at}` : `${who} ${message.at}`;
    const session =
      changes && sessions.length > 1
        ? [`${markdown ? '## ' : '--- '}session ${message.session_id}${markdown ? '' : ' ---'}`]
        : [];
    return [...session, `${title}\n${markdown ? `\n${text}` : text.replace(/^/gm, '  ')}`];
  });
  return [head, ...parts].join('\n\n');
}

/** The merged records, one JSON object a line. */
export function renderJsonl({ messages }: ShownContext): string {
  return messages.map((message) => printableJson(message)).join('\n');
}

/** `cc-show [commit]`. */
export async function showCommand(name: string, options: Options): Promise<Output> {
  const data = await show({
    cwd: directoryOf(options),
    name,
    session: options['session'] as string | undefined,
    allBranches: options['allBranches'] === true,
  });
  const text = options['jsonl']
    ? renderJsonl(data)
    : renderShown(data, { markdown: options['markdown'] === true, tools: options['tools'] === true });
  return { data, text, warnings: data.warnings };
}
