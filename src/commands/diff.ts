import { createTwoFilesPatch } from 'diff';
import { dataDir } from '../config/settings.ts';
import { conversationOf } from '../context/conversations.ts';
import { namedContexts } from '../context/of-commits.ts';
import { sessionsOf } from '../context/sessions.ts';
import type { Message } from '../core/conversation.ts';
import { openRepository } from '../git/repository.ts';
import { openStores } from '../storage/open.ts';
import { messageText } from '../ui/message-text.ts';
import { directoryOf, type Options, type Output } from '../ui/run.ts';
import { plural } from '../ui/words.ts';

export interface DiffedMessage {
  role: 'user' | 'assistant';
  at: string;
  text: string;
}

export interface SessionDiff {
  session_id: string;
  /** Messages in A and in B; 0 where the context does not have the session. */
  messages: [a: number, b: number];
  added: DiffedMessage[];
  removed: DiffedMessage[];
  /** Messages that both have with another text (redacted since, for example), as a unified diff. */
  changed: { at: string; patch: string }[];
}

export interface ContextDiff {
  a: string;
  b: string;
  sessions: SessionDiff[];
}

/** A comparison of long texts may take this long before it is given up (milliseconds). */
const PATIENCE = 2000;

/** What came and what went between the contexts of two commits, session by session. @throws UserError, IntegrityError */
export async function diff({ cwd, a, b }: { cwd: string; a: string; b: string }): Promise<ContextDiff> {
  const repository = await openRepository(cwd);
  const [foundA, foundB] = [await namedContexts(a, repository.top), await namedContexts(b, repository.top)];
  const stores = await openStores({ dataDir: dataDir(), commonDir: repository.commonDir });
  try {
    const read = async (contexts: typeof foundA.contexts) =>
      new Map(
        await Promise.all(
          (await sessionsOf(contexts, stores.contexts)).map(async (session): Promise<[string, Message[]]> => {
            const { turns } = await conversationOf(session, stores.contexts);
            return [session.session_id, turns.flatMap(({ messages }) => messages).filter(({ meta }) => !meta)];
          }),
        ),
      );
    const [before, after] = [await read(foundA.contexts), await read(foundB.contexts)];
    const ids = [...new Set([...before.keys(), ...after.keys()])];
    return {
      a: foundA.commit,
      b: foundB.commit,
      sessions: ids.map((id) => compare(id, before.get(id) ?? [], after.get(id) ?? [])),
    };
  } finally {
    await stores.close();
  }
}

function compare(session_id: string, before: Message[], after: Message[]): SessionDiff {
  const [old, now] = [
    new Map(before.map((message) => [message.id, message])),
    new Map(after.map((message) => [message.id, message])),
  ];
  const changed = after.flatMap((message) => {
    const earlier = old.get(message.id);
    const [was, is] = [earlier === undefined ? '' : messageText(earlier), messageText(message)];
    if (earlier === undefined || was === is) return [];
    const patch = createTwoFilesPatch('a', 'b', was, is, undefined, undefined, { timeout: PATIENCE }) ?? `-${was}\n+${is}\n`;
    return [{ at: message.at, patch }];
  });
  return {
    session_id,
    messages: [before.length, after.length],
    added: after.filter(({ id }) => !old.has(id)).map(diffed),
    removed: before.filter(({ id }) => !now.has(id)).map(diffed),
    changed,
  };
}

function diffed(message: Message): DiffedMessage {
  return { role: message.role, at: message.at, text: messageText(message) };
}

/** Counts for each session; with `patch` the messages too, `+` and `-` as Git writes them. */
export function renderDiff({ a, b, sessions }: ContextDiff, { patch }: { patch: boolean }): string {
  const lines = [`${a.slice(0, 7)}..${b.slice(0, 7)}`];
  for (const { session_id, messages, added, removed, changed } of sessions) {
    const counts = [`+${added.length}`, `-${removed.length}`, ...(changed.length > 0 ? [`~${changed.length}`] : [])].join(' ');
    lines.push(`session ${session_id}: ${messages[0]} → ${plural(messages[1], 'message')} (${counts})`);
    if (!patch) continue;
    lines.push(...removed.map((message) => marked('-', message)), ...added.map((message) => marked('+', message)));
    lines.push(...changed.map((one) => one.patch));
  }
  return lines.join('\n');
}

function marked(sign: string, { role, at, text }: DiffedMessage): string {
  const lines = text.split('\n');
  return [`${sign} ${role === 'user' ? 'user' : 'claude'} ${at}`, ...lines.map((line) => `${sign}   ${line}`)].join('\n');
}

/** `cc-diff <a> <b>`. */
export async function diffCommand(a: string, b: string, options: Options): Promise<Output> {
  const data = await diff({ cwd: directoryOf(options), a, b });
  return { data, text: renderDiff(data, { patch: options['patch'] === true }) };
}
