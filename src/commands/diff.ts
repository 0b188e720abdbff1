import { createTwoFilesPatch } from 'diff';
import { conversationOf } from '../context/conversations.ts';
import { type OpenContext, withContext } from '../context/stores.ts';
import type { Message } from '../core/conversation.ts';
import { mergeConversations, turnsOf } from '../core/merge.ts';
import { messageText } from '../ui/message-text.ts';
import { directoryOf, type Options, type Output } from '../ui/run.ts';
import { plural } from '../ui/words.ts';

export interface DiffedMessage {
  role: 'user' | 'assistant';
  at: string;
  text: string;
}

export interface SessionDiff {
  session_id: string;
  /** Messages in A and in B; 0 where the context does not have the session. */
  messages: [a: number, b: number];
  added: DiffedMessage[];
  removed: DiffedMessage[];
  /** Messages that both have with another text (redacted since, for example), as a unified diff. */
  changed: { at: string; patch: string }[];
}

export interface ContextDiff {
  a: string;
  b: string;
  sessions: SessionDiff[];
}

/** A comparison of long texts may take this long before it is given up (milliseconds). */
const PATIENCE = 2000;

/**
 * What came and what went between the contexts of two commits, session by session. A message is known by its own identity: a session
 * that was restored and went on under another id has only its new messages added.
 * @throws UserError, IntegrityError
 */
export async function diff({ cwd, a, b }: { cwd: string; a: string; b: string }): Promise<ContextDiff> {
  const before = await withContext({ cwd, name: a }, readMessages);
  const after = await withContext({ cwd, name: b }, readMessages);
  const homes = new Map(before.messages.map(({ id, session_id }) => [id, session_id]));
  const moved = after.messages.map((message) => ({ ...message, session_id: homes.get(message.id) ?? message.session_id }));
  const ids = [...new Set([...before.messages, ...moved].map(({ session_id }) => session_id))];
  const of = (messages: OwnedMessage[], id: string) => messages.filter(({ session_id }) => session_id === id);
  return { a: before.commit, b: after.commit, sessions: ids.map((id) => compare(id, of(before.messages, id), of(moved, id))) };
}

type OwnedMessage = Message & { session_id: string };

async function readMessages({ found, sessions, store }: OpenContext): Promise<{ commit: string; messages: OwnedMessage[] }> {
  const conversations = await Promise.all(sessions.map((session) => conversationOf(session, store)));
  const messages = turnsOf(mergeConversations(conversations)).flatMap((turn) =>
    turn.messages.filter(({ meta }) => !meta).map((message) => ({ ...message, session_id: turn.session_id })),
  );
  return { commit: found.commit, messages };
}

function compare(session_id: string, before: Message[], after: Message[]): SessionDiff {
  const [old, now] = [
    new Map(before.map((message) => [message.id, message])),
    new Map(after.map((message) => [message.id, message])),
  ];
  const changed = after.flatMap((message) => {
    const earlier = old.get(message.id);
    const [was, is] = [earlier === undefined ? '' : messageText(earlier), messageText(message)];
    if (earlier === undefined || was === is) return [];
    const patch = createTwoFilesPatch('a', 'b', was, is, undefined, undefined, { timeout: PATIENCE }) ?? `-${was}\n+${is}\n`;
    return [{ at: message.at, patch }];
  });
  return {
    session_id,
    messages: [before.length, after.length],
    added: after.filter(({ id }) => !old.has(id)).map(diffed),
    removed: before.filter(({ id }) => !now.has(id)).map(diffed),
    changed,
  };
}

function diffed(message: Message): DiffedMessage {
  return { role: message.role, at: message.at, text: messageText(message) };
}

/** Counts for each session; with `patch` the messages too, `+` and `-` as Git writes them. */
export function renderDiff({ a, b, sessions }: ContextDiff, { patch }: { patch: boolean }): string {
  const lines = [`${a.slice(0, 7)}..${b.slice(0, 7)}`];
  for (const { session_id, messages, added, removed, changed } of sessions) {
    const counts = [`+${added.length}`, `-${removed.length}`, ...(changed.length > 0 ? [`~${changed.length}`] : [])].join(' ');
    lines.push(`session ${session_id}: ${messages[0]} → ${plural(messages[1], 'message')} (${counts})`);
    if (!patch) continue;
    lines.push(...removed.map((message) => marked('-', message)), ...added.map((message) => marked('+', message)));
    lines.push(...changed.map((one) => one.patch));
  }
  return lines.join('\n');
}

function marked(sign: string, { role, at, text }: DiffedMessage): string {
  const lines = text.split('\n');
  return [`${sign} ${role === 'user' ? 'user' : 'claude'} ${at}`, ...lines.map((line) => `${sign}   ${line}`)].join('\n');
}

/** `cc-diff <a> <b>`. */
export async function diffCommand(a: string, b: string, options: Options): Promise<Output> {
  const data = await diff({ cwd: directoryOf(options), a, b });
  return { data, text: renderDiff(data, { patch: options['patch'] === true }) };
}
