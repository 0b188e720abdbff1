import type { Message } from '../core/conversation.ts';
import { messageText } from './message-text.ts';

/** A context as it is shown: as text, Markdown or a page. */
export interface ContextView {
  title: string;
  /** In order; a heading where the session changes. */
  messages: (Message & { session_id: string })[];
  /** Also what went into the tools and what came out. */
  tools: boolean;
}

/** One message of a view that has something to show. */
export interface ShownMessage {
  who: 'user' | 'claude' | 'tool';
  at: string;
  text: string;
  /** The session that begins here, when the view has several; null otherwise. */
  session: string | null;
}

/** The messages of a view that say something: what Claude Code put in between is left out. */
export function shownMessages({ messages, tools }: ContextView): ShownMessage[] {
  const several = new Set(messages.map(({ session_id }) => session_id)).size > 1;
  const readable = messages
    .map((message) => ({ message, text: message.meta ? '' : messageText(message, { tools }) }))
    .filter(({ text }) => text !== '');
  return readable.map(({ message, text }, at) => ({
    who: speaker(message),
    at: message.at,
    text,
    session: several && message.session_id !== readable[at - 1]?.message.session_id ? message.session_id : null,
  }));
}

/** The view as text for a terminal. */
export function contextText(view: ContextView): string {
  const parts = shownMessages(view).flatMap(({ who, at, text, session }) => [
    ...(session === null ? [] : [`--- session ${session} ---`]),
    `${who} ${at}\n${text.replace(/^/gm, '  ')}`,
  ]);
  return [view.title, ...parts].join('\n\n');
}

/** The view as Markdown, for a pull request or a note. */
export function contextMarkdown(view: ContextView): string {
  const parts = shownMessages(view).flatMap(({ who, at, text, session }) => [
    ...(session === null ? [] : [`## session ${session}`]),
    `### ${who} · ${at}\n\n${text}`,
  ]);
  return [`# ${view.title}`, ...parts].join('\n\n');
}

function speaker({ role, content }: Message): ShownMessage['who'] {
  if (role === 'assistant') return 'claude';
  return content.length > 0 && content.every(({ type }) => type === 'tool_result') ? 'tool' : 'user';
}
