import { isCarried } from '../core/carried.ts';
import type { Conversation, Message, Turn } from '../core/conversation.ts';
import { countClosedCalls, holdsResults } from '../core/conversation.ts';
import type { JoinedMessage } from './join-messages.ts';
import { joinMessages } from './join-messages.ts';
import { liveBranch, mainChain } from './live-branch.ts';
import type { TranscriptRecord } from './records.ts';
import { asString } from './records.ts';

/** What Claude Code writes in the person's name, and what belongs to the turn before it: an interruption, the output of a command. */
const NO_PROMPT = /^(\[Request interrupted by user|<(local-command|bash)-std(out|err)>)/;

/** Stands before messages whose prompt is not in the transcript: a conversation cannot begin with a reply. */
const NO_BEGINNING = '[the beginning of this conversation is not in its transcript]';

/**
 * Reads the live branch of a session. Every tool call in it has a result; those that had none were closed and counted. A
 * session in which nobody wrote a prompt has no turns.
 */
export function readConversation(sessionId: string, records: Iterable<TranscriptRecord>): Conversation {
  const all = [...records];
  const chain = mainChain(all);
  const turns = toTurns(sessionId, joinMessages(liveBranch(all, chain), chain, { close: true }));
  return {
    session_id: sessionId,
    agent_version: lastOf(all, 'version'),
    cwd: lastOf(all, 'cwd'),
    title: lastOf(all, 'customTitle') ?? lastOf(all, 'aiTitle'),
    turns,
    closed_calls: turns.reduce((sum, turn) => sum + countClosedCalls(turn), 0),
  };
}

/** Every message of the main chain in file order, abandoned branches and what a compaction replaced included; nothing is closed. */
export function allMessages(_sessionId: string, records: Iterable<TranscriptRecord>): Message[] {
  const chain = mainChain(records);
  return joinMessages(chain, chain, { close: false }).map(({ message }) => message);
}

function toTurns(sessionId: string, joined: JoinedMessage[]): Turn[] {
  const turns: Turn[] = [];
  let current: Message[] = [];
  for (const { message, origin } of joined) {
    if (origin['type'] === 'user' && isPrompt(message)) {
      const before = turns.length === 0 ? withBeginning(current.splice(0)) : metaAtEnd(current);
      current = [...before, message];
      turns.push({ session_id: asString(origin['originalSessionId']) ?? sessionId, at: message.at, messages: current });
    } else {
      current.push(message);
    }
  }
  return turns;
}

function isPrompt(message: Message): boolean {
  const [first] = message.content;
  const text = first?.type === 'text' ? String(first['text']) : '';
  return (
    message.role === 'user' && !message.meta && !holdsResults(message) && !NO_PROMPT.test(text) && message.content.some(isCarried)
  );
}

/** Takes what Claude Code wrote after the last reply of a turn: it introduces the next prompt (such as the caveat before a command). */
function metaAtEnd(messages: Message[]): Message[] {
  const reply = messages.findLastIndex((message) => !message.meta);
  return messages[reply]?.role === 'assistant' ? messages.splice(reply + 1) : [];
}

function withBeginning(messages: Message[]): Message[] {
  const [first] = messages;
  if (first === undefined || first.role === 'user') return messages;
  const note = {
    ...first,
    role: 'user' as const,
    content: [{ type: 'text', text: NO_BEGINNING }],
    id: `no-beginning-${first.id}`,
    meta: true,
  };
  return [{ ...note, model: null, usage: null }, ...messages];
}

function lastOf(records: TranscriptRecord[], field: string): string | null {
  return asString(records.findLast((record) => typeof record[field] === 'string' && record['isSidechain'] !== true)?.[field]);
}
