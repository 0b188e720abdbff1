import type { Block, Message } from '../core/conversation.ts';

/** Characters of a tool's input or result that are shown before it is cut. */
const TOOL_TEXT = 2000;

/**
 * A message as text to read: what was said, and tool calls in a line each.
 * @param tools also what went into the tools and what came out.
 */
export function messageText({ content }: Message, { tools = false }: { tools?: boolean } = {}): string {
  return content
    .map((block) => blockText(block, tools))
    .filter((text) => text !== '')
    .join('\n\n');
}

function blockText(block: Block, tools: boolean): string {
  if (block.type === 'text') return String(block['text'] ?? '');
  if (block.type === 'image') return '[image]';
  if (block.type === 'tool_use') {
    return `[tool: ${String(block['name'])}] ${cut(summaryOf(block['input'], tools))}`;
  }
  if (block.type === 'tool_result') {
    const text = resultText(block['content']);
    return tools ? `[result] ${cut(text)}` : `[result: ${text.length} characters]`;
  }
  return block.type === 'thinking' || block.type === 'redacted_thinking' ? '' : `[${block.type}]`;
}

/** The one field that says what a call is about, or with `tools` all of it. */
function summaryOf(input: unknown, tools: boolean): string {
  if (tools || typeof input !== 'object' || input === null) return JSON.stringify(input) ?? '';
  const fields = input as Record<string, unknown>;
  const telling = ['command', 'file_path', 'path', 'pattern', 'url', 'query', 'description'].find(
    (name) => typeof fields[name] === 'string',
  );
  return telling === undefined ? '' : String(fields[telling]);
}

function resultText(content: unknown): string {
  if (typeof content === 'string') return content;
  if (!Array.isArray(content)) return '';
  return content.map((part: Block | null) => (part?.type === 'text' ? String(part['text'] ?? '') : `[${part?.type}]`)).join('\n');
}

function cut(text: string): string {
  return text.length <= TOOL_TEXT ? text : `${text.slice(0, TOOL_TEXT)}… (${text.length} characters)`;
}
