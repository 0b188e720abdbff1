import type { ApiBlock, ApiMessage, MessagesBody } from './messages-api.ts';
import { blocksOf, checkRequest } from './messages-api.ts';

/**
 * What a request is for: the `conversation` itself; a `compaction` of it; a `subagent`; or a `side` request of the client's
 * own (titles, quotas, the file paths of a Bash command, 2.0.76's `Warmup` of its subagents).
 */
export type RequestKind = 'conversation' | 'compaction' | 'subagent' | 'side';

/** One recorded `POST /v1/messages`. */
export interface ApiRequest {
  kind: RequestKind;
  /** The session it belongs to: the file name of its transcript. Null where the client does not say. */
  session_id: string | null;
  /** What was last asked, without the client's own notices. */
  prompt: string;
  body: MessagesBody;
  /** Broken rules of the Messages API; see `checkRequest`. */
  violations: string[];
}

export function toApiRequest(body: MessagesBody): ApiRequest {
  const prompt = promptText(body.messages[promptIndex(body.messages)]);
  const session_id = /session_(?:id":")?([0-9a-f-]{36})/.exec(body.metadata?.user_id ?? '')?.[1] ?? null;
  return { kind: kindOf(body, prompt), session_id, prompt, body, violations: checkRequest(body) };
}

/** How many replies the model has given to the current prompt: the position in that prompt's script. */
export function repliesToPrompt({ body: { messages } }: ApiRequest): number {
  return messages.slice(promptIndex(messages) + 1).filter((message) => message.role === 'assistant').length;
}

/**
 * `messages` in the form in which two requests are compared: every content an array of blocks, without what depends on the
 * position of a message in the request (`cache_control`; a text alone as a plain string) and without the reminder that the TUI
 * of 2.0.76 puts into a request but not into the transcript. Nothing else is dropped.
 */
export function messagesOf({ body }: Pick<ApiRequest, 'body'>): ApiMessage[] {
  return body.messages.map((message) => ({
    ...message,
    content: blocksOf(message)
      .map(({ cache_control: _, ...block }) => block as ApiBlock)
      .filter((block) => !String(block['text']).startsWith(TODO_REMINDER)),
  }));
}

const TODO_REMINDER = '<system-reminder>\nThis is a reminder that your todo list is currently empty.';

function promptIndex(messages: ApiMessage[]): number {
  return messages.findLastIndex((message) => message.role === 'user' && promptText(message) !== '');
}

/**
 * The last text of a message that a person can have typed. The clients join a prompt to the results before it and to notices of
 * their own (`<system-reminder>`, `<local-command-stdout>`, `<command-name>`), each a block that begins with its tag.
 */
function promptText(message: ApiMessage | undefined): string {
  const texts = message === undefined ? [] : blocksOf(message).filter((block) => block.type === 'text');
  return texts.map((block) => String(block['text']).trim()).findLast((text) => !text.startsWith('<')) ?? '';
}

function kindOf(body: MessagesBody, prompt: string): RequestKind {
  const tools = body.tools?.map((tool) => tool.name) ?? [];
  if (prompt.includes('Your task is to create a detailed summary of the conversation')) return 'compaction';
  if (tools.length === 0 || prompt === 'Warmup') return 'side';
  // 2.1.329 marks subagents in the first system block; those of 2.0.76 cannot start others.
  const ofSubagent =
    JSON.stringify(body.system ?? '').includes('cc_is_subagent=true') || !(tools.includes('Task') || tools.includes('Agent'));
  return ofSubagent ? 'subagent' : 'conversation';
}
