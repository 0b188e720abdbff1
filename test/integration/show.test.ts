import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { ShownContext } from '../../src/commands/show.ts';
import { commitFiles, talkAndCommit } from '../helpers/history.ts';
import { createWorkplace } from '../helpers/workplace.ts';

test('a conversation as text, as Markdown, as JSON lines, with what went through the tools', () => {
  using work = createWorkplace();
  const [left, right] = [work.session(), work.session()];
  left.say('from the left');
  left.call('echo hello', 'hello from the tool');
  right.say('from the right');
  const [context] = commitFiles(work, 'both') as [string];
  const name = `commit ${work.git('rev-parse', 'HEAD').slice(0, 7)} (${context.slice(0, 12)}), 2 sessions, by Alice <alice@example.com>`;

  const text = work.cc('show').stdout;
  expect(text.startsWith(`Claude context of ${name}\n\n--- session ${left.id} ---\n\nuser `)).toBe(true);
  expect(text).toMatch(/claude \S+\n {2}\[tool: Bash\] echo hello\n\ntool \S+\n {2}\[result: 19 characters\]\n/);
  expect(text.indexOf(`--- session ${right.id} ---`)).toBeGreaterThan(text.indexOf('[result'));
  expect(work.cc('show', '--tools').stdout).toContain('[result] hello from the tool');
  expect(work.cc('show', '--markdown').stdout).toMatch(
    new RegExp(`^# Claude context of .*\\n\\n## session ${left.id}\\n\\n### user · `),
  );

  const lines = work.cc('show', '--jsonl').stdout.trimEnd().split('\n');
  const records = lines.map((line) => JSON.parse(line) as Record<string, unknown>);
  expect(new Set(records.map(({ sessionId }) => sessionId)).size).toBe(1);
  const from = records.flatMap(({ originalSessionId }) => originalSessionId ?? []);
  expect(from).toEqual([left.id, left.id, left.id, left.id, right.id, right.id]);
  expect(records.at(-1)).toMatchObject({ type: 'last-prompt', lastPrompt: 'from the right' });

  const only = work.json<ShownContext>('show', '--session', right.id.slice(0, 8), context.slice(0, 12));
  expect(only.sessions.map(({ session_id }) => session_id)).toEqual([right.id]);
  expect(only.messages).toHaveLength(2);
  const none = work.cc('show', '--session', randomUUID());
  expect(none).toMatchObject({ code: 1, stdout: '' });
  expect(none.stderr).toContain(left.id);
});

test('a page stands alone, and what was said in it is text', () => {
  using work = createWorkplace();
  work.session().say('<script>alert(1)</script> & "quotes" \u202e', '<img src=x onerror=alert(1)>');
  commitFiles(work, 'page');
  const path = join(work.home, 'page.html');
  expect(work.cc('show', '--html', path).stdout).toBe(`✓ Written: ${path}\n`);
  const page = readFileSync(path, 'utf8');
  expect(page).toContain('&#60;script&#62;alert(1)&#60;/script&#62; &#38; &#34;quotes&#34;');
  expect(page).not.toMatch(/<script|<img|\u202e/);
  expect(page).toContain("default-src 'none'");
  expect(work.cc('show', '--html', join(work.home, 'no', 'where.html'))).toMatchObject({ code: 1, stdout: '' });
});

test('what was rewound is shown with --all-branches only', () => {
  using work = createWorkplace();
  const session = work.session();
  session.say('kept');
  const record = (type: string, uuid: string, parentUuid: string | null, message: object) =>
    `${JSON.stringify({ type, uuid, parentUuid, message, cwd: work.dir, sessionId: session.id, timestamp: new Date().toISOString() })}\n`;
  session.append(record('user', randomUUID(), null, { role: 'user', content: 'a new beginning' }));
  commitFiles(work, 'rewound');
  expect(work.cc('show').stdout).toContain('a new beginning');
  expect(work.cc('show').stdout).not.toContain('kept');
  expect(work.cc('show', '--all-branches').stdout).toContain('kept');
  talkAndCommit(work, session, 'go on');
});
