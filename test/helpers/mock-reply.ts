import { randomUUID } from 'node:crypto';
import type { ServerResponse } from 'node:http';

/** A block of a scripted reply. */
export type ReplyBlock =
  | { type: 'text'; text: string }
  | { type: 'thinking'; thinking: string; signature: string }
  | { type: 'tool_use'; id: string; name: string; input: Record<string, unknown> };

/** Token counts of a reply; those left out are 10 in, 5 out, nothing cached. */
export interface ReplyUsage {
  input_tokens?: number;
  output_tokens?: number;
  cache_creation_input_tokens?: number;
  cache_read_input_tokens?: number;
}

/** One assistant message of the mock. */
export interface Reply {
  content: ReplyBlock[];
  usage?: ReplyUsage;
}

/** What a script may say in place of a whole reply: a text, one block, or several (parallel tool calls). */
export type ReplyLike = string | ReplyBlock | ReplyBlock[] | Reply;

/** A tool call with an id that no other reply has. */
export function toolUse(name: string, input: Record<string, unknown>): ReplyBlock {
  return { type: 'tool_use', id: `toolu_${randomUUID().replaceAll('-', '')}`, name, input };
}

/** A call of the Bash tool. */
export function bash(command: string): ReplyBlock {
  return toolUse('Bash', { command, description: 'Runs a command' });
}

/** A thinking block; its signature is opaque to the clients. */
export function thinking(text: string): ReplyBlock {
  return { type: 'thinking', thinking: text, signature: Buffer.from(`signed ${text}`).toString('base64') };
}

export function toReply(reply: ReplyLike): Reply {
  if (typeof reply === 'string') return { content: [{ type: 'text', text: reply }] };
  if (Array.isArray(reply)) return { content: reply };
  return 'content' in reply ? reply : { content: [reply] };
}

/**
 * Sends a reply as the Messages API does: one JSON message, or, where the request has `stream`, as server-sent events
 * (https://docs.anthropic.com/en/api/messages-streaming).
 */
export function sendReply(response: ServerResponse, { model, stream }: { model: string; stream?: boolean }, reply: Reply): void {
  const { content } = reply;
  const usage = {
    input_tokens: 10,
    output_tokens: 5,
    cache_creation_input_tokens: 0,
    cache_read_input_tokens: 0,
    ...reply.usage,
  };
  const stop = { stop_reason: content.some((block) => block.type === 'tool_use') ? 'tool_use' : 'end_turn', stop_sequence: null };
  const message = {
    id: `msg_${randomUUID().replaceAll('-', '')}`,
    type: 'message',
    role: 'assistant',
    model,
    content,
    ...stop,
    usage,
  };
  if (stream !== true) {
    response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(message));
    return;
  }
  const send = (type: string, data: object): void => {
    response.write(`event: ${type}\ndata: ${JSON.stringify({ type, ...data })}\n\n`);
  };
  response.writeHead(200, { 'content-type': 'text/event-stream' });
  send('message_start', { message: { ...message, content: [], stop_reason: null, usage: { ...usage, output_tokens: 1 } } });
  for (const [index, block] of content.entries()) {
    const { start, deltas } = inParts(block);
    send('content_block_start', { index, content_block: start });
    for (const delta of deltas) send('content_block_delta', { index, delta });
    send('content_block_stop', { index });
  }
  send('message_delta', { delta: stop, usage: { output_tokens: usage.output_tokens } });
  send('message_stop', {});
  response.end();
}

function inParts(block: ReplyBlock): { start: object; deltas: object[] } {
  switch (block.type) {
    case 'text':
      return { start: { ...block, text: '' }, deltas: [{ type: 'text_delta', text: block.text }] };
    case 'thinking':
      return {
        start: { ...block, thinking: '', signature: '' },
        deltas: [
          { type: 'thinking_delta', thinking: block.thinking },
          { type: 'signature_delta', signature: block.signature },
        ],
      };
    case 'tool_use':
      return {
        start: { ...block, input: {} },
        deltas: [{ type: 'input_json_delta', partial_json: JSON.stringify(block.input) }],
      };
  }
}
