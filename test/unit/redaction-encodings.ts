import type { Kind } from './redaction-kinds.ts';

/** The ways a secret stands in a session: name, and the record's text for what was said. */
export const encodings: Record<string, (text: string) => string> = {
  raw: (text) => text,
  'JSON string': (text) => record(text),
  'JSON in a JSON string': (text) => record(JSON.stringify({ nested: [JSON.stringify({ output: text })] })),
  'colours around it': (text) => record(`\u001b[1mout\u001b[0m \u001b[32m${text}\u001b[0m`),
  'colours inside of it': (text) => record(text.replace(/(?<=[A-Za-z0-9])(?=[A-Za-z0-9]{5})/g, '\u001b[01;31m\u001b[K')),
  'URL-encoded': (text) => record(`https://host/?q=${encodeURIComponent(text)}`),
  'every byte URL-encoded': (text) => record([...text].map((c) => `%${c.charCodeAt(0).toString(16).padStart(2, '0')}`).join('')),
  base64: (text) => record(`data: ${Buffer.from(text).toString('base64')} end`),
  'base64 of base64': (text) => record(Buffer.from(Buffer.from(text).toString('base64')).toString('base64')),
  'wrapped base64': (text) => record(wrap(Buffer.from(`# a file of settings\n${text}\n# its end`).toString('base64'))),
  'base64 with escaped slashes': (text) => record(Buffer.from(`~~~?${text}`).toString('base64')).replaceAll('/', '\\/'),
  'base64 in a URL': (text) => record(`https://host/?q=${encodeURIComponent(Buffer.from(text).toString('base64'))}`),
  'base64url of JSON': (text) => record(Buffer.from(record(text)).toString('base64url')),
  'numbered lines': (text) => record(numbered(`first line\n${text}\nlast line`)),
  'escaped as \\u': (text) =>
    `{"text":"${[...text].map((c) => `\\u${c.charCodeAt(0).toString(16).padStart(4, '0')}`).join('')}"}`,
};

function record(text: string): string {
  return JSON.stringify({ type: 'user', message: { role: 'user', content: [{ type: 'tool_result', content: text }] }, n: 1.5e3 });
}

function numbered(text: string): string {
  return text
    .split('\n')
    .map((line, i) => `${String(i + 1).padStart(6)}→${line}`)
    .join('\n');
}

function wrap(text: string): string {
  return text.replace(/.{76}/g, '$&\n');
}

/** Every reading of a text that a person could make: it, without colours and numbers, unescaped, decoded. */
function readings(text: string, depth = 3): string[] {
  const next = [
    text.replace(/\u001b\[[0-9;]*[A-Za-z]/g, ''),
    text.replace(/^ *\d+→/gm, ''),
    text.replace(/%([0-9a-f]{2})/gi, (_, code) => String.fromCharCode(Number.parseInt(code, 16))),
    text.replace(/\\u([0-9a-f]{4})/gi, (_, code) => String.fromCharCode(Number.parseInt(code, 16))),
    text.replace(/\\n/g, '\n').replace(/\\(["\\/])/g, '$1'),
    ...(text.replace(/\\n|\n/g, '').match(/[A-Za-z0-9+/_-]{16,}={0,2}/g) ?? []).map((run) =>
      Buffer.from(run, 'base64').toString('latin1'),
    ),
  ];
  return [text, ...(depth === 0 ? [] : next.filter((other) => other !== text).flatMap((other) => readings(other, depth - 1)))];
}

/** True when a whole line of the secret can still be read in the output. */
export function survives(kind: Kind, output: Buffer): boolean {
  const pieces = kind.secret.split('\n').filter((line) => line.length >= 8);
  return readings(output.toString()).some((text) => pieces.some((piece) => text.includes(piece)));
}
