import { expect, test } from 'vitest';
import type { Account } from '../../src/core/account-book.ts';
import { renderAccount } from '../../src/ui/account.ts';

const rows: Account['rows'] = [
  { kind: 'prompts', captured: 123, restored: 100, lost: { budget: 20, rewound: 3 }, closed: 0, unexplained: 0 },
  { kind: 'replies', captured: 7, restored: 7, lost: {}, closed: 0, unexplained: 0 },
  { kind: 'tool_calls', captured: 12, restored: 11, lost: { compacted: 1 }, closed: 0, unexplained: 0 },
  { kind: 'tool_results', captured: 10, restored: 11, lost: {}, closed: 1, unexplained: 0 },
];

test('a table with the reasons, in the order in which a restore goes', () => {
  expect(renderAccount({ rows, unexplained: [] }).split('\n')).toEqual([
    '              captured  restored',
    'prompts            123       100  3 on branches that were rewound; 20 left out to fit the budget',
    'replies              7         7',
    'tool calls          12        11  1 replaced by a compaction',
    'tool results        10        11  1 added for calls that had none',
    'Every difference is explained; what was restored is unchanged and in order.',
  ]);
});

test('what has no reason, at most twenty by name', () => {
  const lost = { kind: 'replies', what: 'altered', session_id: 's1', message_id: 'm1', block: 'text' } as const;
  const unknown = { kind: 'tool_results', what: 'missing', session_id: 's1', message_id: '', block: 'tool_result' } as const;
  const one = renderAccount({
    rows: rows.map((row) => ({ ...row, unexplained: row.kind === 'replies' ? 1 : 0 })),
    unexplained: [lost],
  });
  expect(one.split('\n').slice(-2)).toEqual([
    '1 difference without a reason:',
    '  - a reply is not what it was: message m1 of session s1',
  ]);
  expect(one).toContain('replies              7         7  1 unexplained\n');
  const many = renderAccount({ rows, unexplained: [unknown, ...Array.from({ length: 22 }, () => lost)] }).split('\n');
  expect(many).toContain('23 differences without a reason:');
  expect(many).toContain('  - a tool result is missing: session s1');
  expect(many.at(-1)).toBe('  - and 3 more');
});
