/**
 * A conversation as the model sees it: the neutral form that merging, showing and comparing work on. `src/claude` makes it
 * from transcripts and writes it back; nothing here knows how Claude Code stores anything.
 */

/** One block of a message, as the Messages API has it (text, tool_use, tool_result, image, thinking, …); other fields are kept. */
export interface Block {
  type: string;
  /** Set where the content of a large block was left in a spool (`context/spool.ts`): of its fields only the ids and the name are here. */
  spooled?: Spooled;
  [field: string]: unknown;
}

/** The content of a block as JSON: its SHA-256, its length in bytes, and how much of that are images (in a tool's result). */
export interface Spooled {
  hash: string;
  length: number;
  images: { count: number; bytes: number };
}

/** A message: what one person or the model said, tool results included. */
export interface Message {
  role: 'user' | 'assistant';
  /** Blocks in the order the model saw them; a prompt that was a plain string is one `text` block. */
  content: Block[];
  /** ISO 8601 time at which it was written. */
  at: string;
  /** The identity of the message within its session: `message.id` of a reply, the record's `uuid` otherwise. */
  id: string;
  /** True for what the person did not type and does not see (Claude Code's `isMeta`); such messages are not counted. */
  meta: boolean;
  /** Model of a reply, null otherwise. */
  model: string | null;
  /** `usage` of a reply as the API gave it, null otherwise. */
  usage: Record<string, unknown> | null;
  /** True for the summary that a compaction left in place of older messages. */
  summary: boolean;
}

/** A real user prompt and everything up to the next one. Never cut inside. */
export interface Turn {
  session_id: string;
  /** Time of the prompt, ISO 8601: the order of turns of several sessions. */
  at: string;
  /**
   * The prompt (`promptOf`) and all that belongs to it, oldest first; what Claude Code put before the prompt (`meta`) comes
   * first. Every `tool_use` of a reply has its `tool_result` in the user message that follows it.
   */
  messages: Message[];
}

/** The live branch of one session. */
export interface Conversation {
  session_id: string;
  /** Version of Claude Code that wrote the last record, null when unknown. */
  agent_version: string | null;
  /** Absolute directory the session was last working in, null when unknown. */
  cwd: string | null;
  /** Title given by the person or by Claude Code, null when there is none. */
  title: string | null;
  /** Oldest first. */
  turns: Turn[];
  /** Tool calls without a result in the file, which were closed by us (the agent itself committed, a terminal died). */
  closed_calls: number;
}

/** Stands in place of the result of a tool call that has none: the only text in a conversation that is ours. */
export const NO_RESULT = '[no result: the conversation was captured while this call was running]';

/** The message that began a turn: the first that a person wrote. */
export function promptOf(turn: Turn): Message | undefined {
  return turn.messages.find((message) => message.role === 'user' && !message.meta && !holdsResults(message));
}

/** Whether a message answers tool calls. */
export function holdsResults(message: Message): boolean {
  return message.content.some((block) => block.type === 'tool_result');
}

/** How many tool calls of a turn have no result of their own. */
export function countClosedCalls(turn: Turn): number {
  const blocks = turn.messages.flatMap((message) => message.content);
  return blocks.filter((block) => block.type === 'tool_result' && block['content'] === NO_RESULT).length;
}

/** The text of a message without tool calls and results; blocks are joined by a blank line. */
export function textOf(message: Message): string {
  return message.content
    .filter((block) => block.type === 'text' && typeof block['text'] === 'string')
    .map((block) => block['text'] as string)
    .join('\n\n');
}

/** The messages that count: what people and model said to each other, without what Claude Code put in between. */
export function countMessages(turns: Turn[]): number {
  return turns.reduce((sum, turn) => sum + turn.messages.filter((message) => !message.meta).length, 0);
}
