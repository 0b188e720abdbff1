import type { Message } from '../core/conversation.ts';
import { printable } from './columns.ts';
import { messageText } from './message-text.ts';

/** What a page shows. */
export interface Page {
  title: string;
  /** Who said what to whom, in order; a heading where the session changes. */
  messages: (Message & { session_id: string })[];
  /** Also what went into the tools and what came out. */
  tools: boolean;
}

const STYLE = `body{font:15px/1.5 system-ui,sans-serif;max-width:60rem;margin:2rem auto;padding:0 1rem;color:#1a1a1a;background:#fff}
h1{font-size:1.3rem}h2{font-size:1rem;color:#666;border-top:1px solid #ddd;padding-top:1rem;margin-top:2rem}
article{margin:1rem 0;padding:.6rem 1rem;border-left:4px solid #ccc;background:#fafafa}
article.user{border-color:#2563eb;background:#eff6ff}article.claude{border-color:#c2410c}article.tool{border-color:#999;color:#555}
header{font-size:.8rem;color:#666}pre{margin:.3rem 0 0;white-space:pre-wrap;overflow-wrap:anywhere;font:inherit}
article.tool pre{font:13px/1.4 ui-monospace,monospace}
@media(prefers-color-scheme:dark){body{color:#ddd;background:#161616}article{background:#1e1e1e}article.user{background:#172033}h2{border-color:#333}}`;

/**
 * A context as one page that stands alone: no script, nothing loaded from anywhere, and the policy in it forbids both. Every character of
 * the conversation is text.
 */
export function htmlPage({ title, messages, tools }: Page): string {
  const sessions = new Set(messages.map(({ session_id }) => session_id));
  const shown = messages.filter(({ meta }) => !meta);
  const body = shown.flatMap((message, at) => {
    const text = printable(messageText(message, { tools }));
    if (text === '') return [];
    const changes = sessions.size > 1 && message.session_id !== shown[at - 1]?.session_id;
    const heading = changes ? [`<h2>Session ${escaped(message.session_id)}</h2>`] : [];
    const who = speaker(message);
    return [...heading, `<article class="${who}"><header>${who} · ${escaped(message.at)}</header><pre>${escaped(text)}</pre></article>`];
  });
  return [
    '<!doctype html>',
    '<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width">',
    `<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">`,
    `<title>${escaped(title)}</title><style>${STYLE}</style></head><body>`,
    `<h1>${escaped(title)}</h1>`,
    ...body,
    '</body></html>',
    '',
  ].join('\n');
}

/** Who speaks in a message: the person, the model, or a tool that answers it. */
export function speaker({ role, content }: Message): 'user' | 'claude' | 'tool' {
  if (role === 'assistant') return 'claude';
  return content.length > 0 && content.every(({ type }) => type === 'tool_result') ? 'tool' : 'user';
}

function escaped(text: string): string {
  return text.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);
}
