import { randomUUID } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { allMessages } from '../claude/conversation.ts';
import { configDir } from '../claude/paths.ts';
import { readRecords } from '../claude/records.ts';
import { projectDirOf } from '../claude/write-session.ts';
import { conversationOf } from '../context/conversations.ts';
import type { Place } from '../context/rebuild/place.ts';
import { rebuildPortable } from '../context/rebuild/portably.ts';
import { fileBytes, transcriptOf } from '../context/sessions.ts';
import { withSpool } from '../context/spool.ts';
import { withContext } from '../context/stores.ts';
import type { Message } from '../core/conversation.ts';
import type { ManifestSession } from '../core/manifest.ts';
import { mergeConversations, turnsOf } from '../core/merge.ts';
import { shortContext } from '../core/snapshot.ts';
import { UserError } from '../errors.ts';
import type { ContextStore } from '../storage/context-store.ts';
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
export async function show(options: ShowOptions): Promise<ShownContext> {
  return await withContext(options, async ({ found, sessions, store }) => ({
    commit: found.commit,
    context_ids: found.contexts.map(({ context_id }) => context_id),
    sessions: sessions.map(({ session_id, message_count, agent_version, started_at, ended_at }) => ({
      session_id,
      message_count,
      agent_version,
      started_at,
      ended_at,
      author: found.author,
    })),
    messages: await (options.allBranches === true ? everyMessage : liveMessages)(sessions, store),
    warnings: found.problems,
  }));
}

async function liveMessages(sessions: ManifestSession[], store: ContextStore): Promise<ShownContext['messages']> {
  const conversations = await Promise.all(sessions.map((session) => conversationOf(session, store)));
  return turnsOf(mergeConversations(conversations)).flatMap(({ session_id, messages }) =>
    messages.map((message) => ({ ...message, session_id })),
  );
}

async function everyMessage(sessions: ManifestSession[], store: ContextStore): Promise<ShownContext['messages']> {
  const shown: ShownContext['messages'] = [];
  for (const session of sessions) {
    const { session_id } = session;
    const { records } = readRecords(await fileBytes(transcriptOf(session), store));
    shown.push(...allMessages(session_id, records).map((message) => ({ ...message, session_id })));
  }
  return shown;
}

/**
 * The merged session as Claude Code's own records, a JSON object a line: what a restore would write for somebody else.
 * @throws UserError, IntegrityError
 */
export async function mergedRecords(options: ShowOptions): Promise<object[]> {
  return await withContext(options, ({ repository, found, sessions, store }) =>
    withSpool(async (spool) => {
      const place: Place = {
        directory: repository.top,
        account: null,
        now: new Date(),
        title: found.subject,
        spool,
        projectDir: projectDirOf(configDir() ?? '', repository.top),
        tops: [],
        budget: null,
        verify: false,
        capturedHere: () => false,
      };
      const { files } = await rebuildPortable(sessions, place, store, randomUUID());
      return readRecords(await Array.fromAsync(files.at(-1)?.bytes ?? [], (piece) => Buffer.from(piece))).records;
    }),
  );
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
