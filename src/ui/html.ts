import { printable } from './columns.ts';
import { type ContextView, shownMessages } from './context-text.ts';

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
export function htmlPage(view: ContextView): string {
  const { title } = view;
  const body = shownMessages(view).flatMap(({ who, at, text, session }) => [
    ...(session === null ? [] : [`<h2>Session ${escaped(session)}</h2>`]),
    `<article class="${who}"><header>${who} · ${escaped(at)}</header><pre>${escaped(text)}</pre></article>`,
  ]);
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

function escaped(text: string): string {
  return printable(text).replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);
}
