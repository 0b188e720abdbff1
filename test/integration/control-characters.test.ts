import { expect, test } from 'vitest';
import type { ListedCommit } from '../../src/commands/list.ts';
import type { ShownContext } from '../../src/commands/show.ts';
import { commitFiles } from '../helpers/history.ts';
import { createWorkplace } from '../helpers/workplace.ts';

/** Fills the clipboard (OSC 52), overwrites the line, is a C1 control sequence, turns the direction of writing. */
const EVIL = 'evil\u001b]52;c;ZXZpbA==\u0007\r\u009b31m\u202e\u2066end';
const ACTING = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/;

test('control characters of a conversation, a subject or a name never reach the terminal, and are not lost in JSON', () => {
  using work = createWorkplace();
  work.git('config', 'user.name', `A${EVIL.replace('\r', '')}`);
  const session = work.session();
  session.say(EVIL, EVIL);
  session.call(EVIL, EVIL);
  commitFiles(work, EVIL, { 'a.txt': 'a' });
  session.say(EVIL);
  commitFiles(work, EVIL, { 'a.txt': 'b' });
  work.git('commit', '--quiet', '--allow-empty', '--no-verify', '-m', 'none');
  for (const args of [
    ['list', '--prompts'],
    ['list', '--prompts', '--json'],
    ['show', 'HEAD~1', '--tools'],
    ['show', 'HEAD~1', '--markdown'],
    ['show', 'HEAD~1', '--jsonl'],
    ['show', 'HEAD~1', '--json'],
    ['diff', 'HEAD~2', 'HEAD~1', '--patch'],
    ['diff', 'HEAD~2', 'HEAD~1', '--json'],
    ['status'],
  ] as [string, ...string[]][]) {
    const ran = work.cc(...args);
    expect(ran, ran.stderr).toMatchObject({ code: 0 });
    expect(ran.stdout).not.toMatch(ACTING);
  }
  for (const args of [['show'], ['show', EVIL], ['show', `ctx-${EVIL}`], ['list', `${EVIL}..HEAD`]] as [string, ...string[]][]) {
    const ran = work.cc(...args);
    expect(ran.code).toBe(1);
    expect(ran.stderr).toContain('evil');
    expect(ran.stderr).not.toMatch(ACTING);
  }
  expect(work.json<ShownContext>('show', 'HEAD~1').messages[0]?.content).toEqual([{ type: 'text', text: EVIL }]);
  expect(work.json<ListedCommit[]>('list', '--prompts')[1]?.prompts).toEqual([EVIL]);
});
