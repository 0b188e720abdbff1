import type { Account, AccountRow, Kind, Loss, Unexplained } from '../core/account-book.ts';
import { columns } from './columns.ts';
import { plural } from './words.ts';

const KIND: Record<Kind | 'other', [one: string, many: string]> = {
  prompts: ['prompt', 'prompts'],
  replies: ['reply', 'replies'],
  tool_calls: ['tool call', 'tool calls'],
  tool_results: ['tool result', 'tool results'],
  other: ['note', 'notes'],
};

/** In the order of a restore: what is lost when sessions are read, merged and written. */
const REASON: Record<Loss, string> = {
  no_call: 'without their call in the transcript',
  repeated: 'that came again for the same call',
  rewound: 'on branches that were rewound',
  cleared: 'from before the context was cleared',
  compacted: 'replaced by a compaction',
  no_prompt: 'in sessions without a prompt',
  duplicate: 'in turns that another session has too',
  budget: 'left out to fit the budget',
  empty: 'empty or nothing but thinking',
};

const WHAT: Record<Unexplained['what'], string> = {
  missing: 'is missing',
  altered: 'is not what it was',
  moved: 'is out of its order',
  added: 'was added',
  mispaired: 'answers another call',
};

const ALL_THERE = 'All that was captured was restored, unchanged and in order.';
const EXPLAINED = 'Every difference is explained; what was restored is unchanged and in order.';

/** Findings that are listed one by one; of more only the number is said. */
const LISTED = 20;

/** An account as a table with a reason for every difference, and what has none. */
export function renderAccount({ rows, unexplained }: Account): string {
  const table = columns([['', 'captured', 'restored', ''], ...rows.map(cells)]).map((line) => line.trimEnd());
  const same = rows.every(({ lost, closed }) => closed === 0 && Object.keys(lost).length === 0);
  return [...table, ...findings(unexplained, same)].join('\n');
}

function cells({ kind, captured, restored, lost, closed, unexplained }: AccountRow): string[] {
  const reasons = (Object.keys(REASON) as Loss[]).flatMap((reason) => {
    const count = lost[reason] ?? 0;
    return count === 0 ? [] : [`${count} ${REASON[reason]}`];
  });
  if (closed > 0) reasons.push(`${closed} added for calls that had none`);
  if (unexplained > 0) reasons.push(`${unexplained} unexplained`);
  return [KIND[kind][1], String(captured).padStart(8), String(restored).padStart(8), reasons.join('; ')];
}

function findings(unexplained: Unexplained[], same: boolean): string[] {
  if (unexplained.length === 0) return [same ? ALL_THERE : EXPLAINED];
  const lines = unexplained.slice(0, LISTED).map(({ kind, what, session_id, message_id }) => {
    const where = message_id === '' ? '' : `message ${message_id} of `;
    return `  - a ${KIND[kind][0]} ${WHAT[what]}: ${where}session ${session_id}`;
  });
  const more = unexplained.length - lines.length;
  return [
    `${plural(unexplained.length, 'difference')} without a reason:`,
    ...lines,
    ...(more > 0 ? [`  - and ${more} more`] : []),
  ];
}
