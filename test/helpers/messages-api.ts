/** A content block of the Messages API; fields that are not named here are kept. */
export interface ApiBlock {
  type: string;
  [field: string]: unknown;
}

/** `system` inside `messages` is sent by 2.1.329 (beta `mid-conversation-…`): its environment, tools and skills. */
export interface ApiMessage {
  role: 'user' | 'assistant' | 'system';
  content: string | ApiBlock[];
}

/** The body of `POST /v1/messages`, as far as anything here looks at it. */
export interface MessagesBody {
  model: string;
  messages: ApiMessage[];
  tools?: { name: string }[];
  stream?: boolean;
  system?: string | ApiBlock[];
  metadata?: { user_id?: string };
  [field: string]: unknown;
}

/** What the clients put in place of a `tool_result` that they could not find: the API accepts it, the model has lost data. */
export const LOST_RESULT = '[Tool result missing due to internal error]';

export function blocksOf(message: ApiMessage): ApiBlock[] {
  return typeof message.content === 'string' ? [{ type: 'text', text: message.content }] : message.content;
}

/**
 * The rules of the Messages API that a restored conversation can break, checked as the API does: consecutive messages of one
 * role count as one. Returns one sentence for each violation, empty when the API would accept the request
 * (https://docs.anthropic.com/en/api/messages, https://docs.anthropic.com/en/docs/build-with-claude/tool-use).
 */
export function checkRequest(body: Pick<MessagesBody, 'messages'>): string[] {
  const violations: string[] = [];
  const { messages } = body;
  if (messages[0]?.role !== 'user') violations.push(`messages start with ${messages[0]?.role ?? 'nothing'}, not with user`);
  if (JSON.stringify(messages).includes(LOST_RESULT)) violations.push('a tool result was lost');

  const seen = new Set<string>();
  let open = new Set<string>();
  for (const [at, { role, blocks }] of joinRoles(messages).entries()) {
    const where = `message ${at} (${role})`;
    // 2.1.329 sends a system message without content to set the effort of a turn
    if (blocks.length === 0 && role !== 'system') violations.push(`${where} has no content`);
    violations.push(...emptyTexts(blocks).map((problem) => `${where} ${problem}`));
    const answered = idsOf(blocks, 'tool_result', 'tool_use_id');
    for (const id of answered) if (!open.delete(id)) violations.push(`${where} has a result of ${id} without its call before it`);
    for (const id of open) violations.push(`${where} does not begin with the result of ${id}`);
    const leading = blocks.findIndex((block) => block.type !== 'tool_result');
    if (leading !== -1 && blocks.slice(leading).some((block) => block.type === 'tool_result')) {
      violations.push(`${where} has a tool result after other content`);
    }
    if (answered.length > 0 && role !== 'user') violations.push(`${where} has a tool result`);
    const calls = idsOf(blocks, 'tool_use', 'id');
    if (calls.length > 0 && role !== 'assistant') violations.push(`${where} has a tool call`);
    for (const id of calls) {
      if (seen.has(id)) violations.push(`${where} repeats the tool call ${id}`);
      seen.add(id);
    }
    open = new Set(calls);
  }
  for (const id of open) violations.push(`the tool call ${id} has no result`);
  return violations;
}

function joinRoles(messages: ApiMessage[]): { role: string; blocks: ApiBlock[] }[] {
  const joined: { role: string; blocks: ApiBlock[] }[] = [];
  for (const message of messages) {
    const last = joined.at(-1);
    if (last?.role === message.role) last.blocks.push(...blocksOf(message));
    else joined.push({ role: message.role, blocks: [...blocksOf(message)] });
  }
  return joined;
}

function emptyTexts(blocks: ApiBlock[]): string[] {
  return blocks.filter((block) => block.type === 'text' && !String(block['text']).trim()).map(() => 'has an empty text');
}

function idsOf(blocks: ApiBlock[], type: string, field: string): string[] {
  return blocks.filter((block) => block.type === type).map((block) => String(block[field]));
}

/** The tool results in messages, in their order. */
export function results(messages: ApiMessage[]): ApiBlock[] {
  return messages.flatMap(blocksOf).filter(({ type }) => type === 'tool_result');
}

/** Which of these prompts are in messages, in the order in which they are there. */
export function prompts(messages: ApiMessage[], known: string[]): string[] {
  return messages
    .flatMap(blocksOf)
    .flatMap((block) => (block.type === 'text' ? known.filter((one) => block['text'] === one) : []));
}
