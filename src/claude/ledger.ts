import type { OffBranch } from '../core/account-book.ts';
import type { SessionLedger } from '../core/accounting.ts';
import { type Block, holdsResults, type Message, type Turn } from '../core/conversation.ts';
import { type JoinedMessage, joinMessages } from './join-messages.ts';
import { type ChainRecord, liveBranch, mainChain } from './live-branch.ts';
import { ParentTree } from './parent-tree.ts';
import { asRecord, asString, type TranscriptRecord } from './records.ts';

/** What is no prompt, though it stands where one would: see `claude/conversation.ts`. */
const NO_PROMPT = /^(\[Request interrupted by user|<(local-command|bash)-std(out|err)>)/;

/**
 * What a session had and what became of it: for each message of the main chain whether it is on the live branch, and why not.
 *
 * Where a message belongs is found from the parents in the records alone, not from the branch that was read, of which only the newest
 * record is taken. So a message that the reader lost has no reason here.
 *
 * @param live the turns that were read of the session.
 */
export function ledgerOf(session_id: string, records: Iterable<TranscriptRecord>, live: Turn[]): SessionLedger {
  const all = [...records];
  const chain = mainChain(all);
  const joined = joinMessages(chain, chain, { close: false });
  const leaf = liveBranch(all).at(-1)?.uuid ?? null;
  const startedOver = leaf === null && all.some((record) => record['type'] === 'last-prompt' && record['leafUuid'] === null);
  return {
    session_id,
    captured: joined.map(({ message }) => message),
    results: countResults(chain),
    off_branch: startedOver ? allRewound(joined) : offBranch(chain, joined, leaf, live.length > 0),
    live,
  };
}

/** All results, those without a call in the transcript, and those that come after the first of their call. */
function countResults(chain: ChainRecord[]): SessionLedger['results'] {
  const replies = new Map<string, Set<string>>();
  const results = new Map<string, number>();
  for (const { record, uuid } of chain) {
    for (const block of blocksOf(record)) {
      if (block.type === 'tool_use' && isReply(record) && typeof block['id'] === 'string' && typeof block['name'] === 'string')
        replies.set(block['id'], (replies.get(block['id']) ?? new Set()).add(replyKey(record, uuid)));
      if (block.type === 'tool_result' && record['type'] === 'user' && typeof block['tool_use_id'] === 'string')
        results.set(block['tool_use_id'], (results.get(block['tool_use_id']) ?? 0) + 1);
    }
  }
  const counts = { all: 0, no_call: 0, repeated: 0 };
  for (const [id, count] of results) {
    const calls = replies.get(id)?.size ?? 0;
    counts.all += count;
    counts[calls === 0 ? 'no_call' : 'repeated'] += Math.max(0, count - calls);
  }
  return counts;
}

function allRewound(joined: JoinedMessage[]): Map<Message, OffBranch> {
  return new Map(joined.map(({ message }) => [message, 'rewound']));
}

function offBranch(
  chain: ChainRecord[],
  joined: JoinedMessage[],
  leaf: string | null,
  hasTurns: boolean,
): Map<Message, OffBranch> {
  const tree = new ParentTree(chain);
  const { path, replaced } = tree.pathTo(leaf);
  const [live, compacted] = [keysOf(path), keysOf(replaced)];
  const beginning = tree.beginningOf([...path].at(-1));
  const entries = new Map(chain.map((entry) => [entry.record, entry]));
  const off = new Map<Message, OffBranch>();
  for (const { message, origin } of joined) {
    const entry = entries.get(origin);
    if (entry === undefined || holdsResults(message)) continue;
    const key = replyKey(entry.record, entry.uuid);
    if (live.has(key)) {
      if (!hasTurns && !couldBePrompt(message)) off.set(message, 'no_prompt');
    } else if (compacted.has(key)) off.set(message, 'compacted');
    else off.set(message, tree.beginningOf(entry) === beginning ? 'rewound' : 'cleared');
  }
  return off;
}

function keysOf(entries: Iterable<ChainRecord>): Set<string> {
  return new Set([...entries].map(({ record, uuid }) => replyKey(record, uuid)));
}

function couldBePrompt({ role, meta, content: [first] }: Message): boolean {
  return role === 'user' && !meta && !(first?.type === 'text' && NO_PROMPT.test(String(first['text'])));
}

/** The same for all records of a reply; every other record has its own. */
function replyKey(record: TranscriptRecord, uuid: string): string {
  return (record['type'] === 'assistant' ? asString(asRecord(record['message'])?.['id']) : null) ?? uuid;
}

function isReply(record: TranscriptRecord): boolean {
  const synthetic = asRecord(record['message'])?.['model'] === '<synthetic>';
  return record['type'] === 'assistant' && record['isApiErrorMessage'] !== true && !synthetic;
}

function blocksOf(record: TranscriptRecord): Block[] {
  const content = asRecord(record['message'])?.['content'];
  return Array.isArray(content) ? content.filter((block) => typeof asRecord(block)?.['type'] === 'string') : [];
}
