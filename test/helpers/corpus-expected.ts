import { NO_RESULT } from '../../src/core/conversation.ts';
import { type CorpusCase, type Member, ownUuid } from './corpus.ts';
import type { LiveResult } from './corpus-live.ts';
import { type ApiBlock, type ApiMessage, blocksOf } from './messages-api.ts';

/** What the model must get of a case, or has got. */
export interface Heard {
  /** Contents of tool results, sorted: of the live calls each one, of a call that several sessions have the same one once. */
  results: string[];
  /** The prompts in the order of time, and a marker wherever the next one is of another session. */
  dialogue: string[];
}

interface Placed {
  uuid: unknown;
  texts: string[];
  time: number;
  session_id: string;
}

const MARKER = /^<local-command-stdout>(--- USER STARTED NEW SESSION \(.*\) ---)<\/local-command-stdout>$/;

/** Whether a line of a dialogue shows that another session goes on. */
export function isMarker(line: string): boolean {
  return line.startsWith('--- USER STARTED NEW SESSION (');
}

/** Computed from the raw records of the sessions: nothing that merges or writes a conversation is asked. */
export function expectedOf(one: CorpusCase): Heard {
  const prompts = promptsOf(one);
  const dialogue = prompts.flatMap(({ session_id, texts }, at) => {
    const changed = at > 0 && prompts[at - 1]?.session_id !== session_id;
    return [
      ...(changed && !areCopies(one) ? [`--- USER STARTED NEW SESSION (${session_id}) ---`] : []),
      ...texts.map(withoutEnd),
    ];
  });
  const identity = ({ call, content }: LiveResult) => JSON.stringify([call, content]);
  const results = one.members.flatMap(({ session }) => session.results).map((result) => [identity(result), result.content]);
  return { results: sorted([...new Map(results as [string, unknown][]).values()]), dialogue };
}

/**
 * The same, as a request has it: without results that only say that there was none, and without the user's texts that are neither
 * prompts of the case nor markers.
 */
export function heardIn(messages: ApiMessage[], one: CorpusCase): Heard {
  const known = new Set(promptsOf(one).flatMap(({ texts }) => texts.map(withoutEnd)));
  const blocks = messages.filter(({ role }) => role === 'user').flatMap(blocksOf);
  const contents = blocks.filter(({ type }) => type === 'tool_result').map(({ content }) => content);
  const dialogue = blocks.flatMap(({ type, text }) => {
    const said = withoutEnd(String(text));
    const [, marked] = MARKER.exec(said) ?? [];
    if (type !== 'text') return [];
    return marked === undefined ? [said].filter((prompt) => known.has(prompt)) : areCopies(one) ? [] : [marked];
  });
  return { results: sorted(contents.filter((content) => content !== NO_RESULT)), dialogue };
}

/** The ids of the calls whose results a request has. */
export function answeredIn(messages: ApiMessage[]): string[] {
  return messages.flatMap(blocksOf).flatMap((block) => (block.type === 'tool_result' ? [String(block['tool_use_id'])] : []));
}

/** In the order of time; a prompt that sessions have in common comes once. */
function promptsOf({ members }: CorpusCase): Placed[] {
  const placed = members.flatMap(placedPrompts).sort(byTime);
  const seen = new Set<unknown>();
  return placed.filter(({ uuid }) => !seen.has(uuid) && seen.add(uuid));
}

/** Whether sessions have prompts in common, because one was continued as another: whose such a prompt is, and so the markers, is open. */
function areCopies({ members }: CorpusCase): boolean {
  const uuids = members.flatMap(placedPrompts).map(({ uuid }) => uuid);
  return new Set(uuids).size < uuids.length;
}

/** Where messages of the user follow each other, 2.1.329 makes one of them and ends each text but the last with a newline. */
function withoutEnd(text: string): string {
  return text.replace(/\n+$/, '');
}

function sorted(contents: unknown[]): string[] {
  return contents.map((content) => JSON.stringify(asRecorded(content))).sort();
}

/**
 * A content without what the clients themselves do to it, restored or not. Of the references to tools that a search found they send
 * only those to tools they have now. 2.1.329 puts its reminders, the environment first, into a result where nothing but what the
 * user wrote stands between it and the question.
 */
function asRecorded(content: unknown): unknown {
  if (typeof content === 'string') return content.replace(/\n\n<system-reminder>\n# Environment\n[\s\S]*$/, '');
  return Array.isArray(content) ? content.filter((block) => !isReference(block)) : content;
}

function isReference({ type, text }: ApiBlock): boolean {
  return type === 'tool_reference' || text === '[Tool references removed - tool search not enabled]';
}

function placedPrompts(member: Member): Placed[] {
  const { session, session_id, shift } = member;
  return session.prompts.map(({ uuid, texts, time }) => ({ uuid: ownUuid(member, uuid), texts, time: time + shift, session_id }));
}

function byTime(a: Placed, b: Placed): number {
  return a.time - b.time || (a.session_id < b.session_id ? -1 : Number(a.session_id > b.session_id));
}
