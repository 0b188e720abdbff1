import { randomUUID } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Person } from './claude.ts';
import { inputOn } from './claude-tui.ts';
import { bash, thinking, toolUse } from './mock-reply.ts';

/**
 * Real sessions of every shape that a transcript can have, made by running the client. Each function answers with the session
 * id; prompts and texts are fixed, so that a test can look for them.
 */

/** Two turns, the second by a process of its own that resumed the first; a tool call in the first, thinking in both. */
export async function resumedSession(person: Person, cwd: string): Promise<string> {
  person.api.when('print alpha', [thinking('one command will do'), bash('echo alpha')], 'alpha was printed');
  const content = [thinking('nothing'), { type: 'text' as const, text: 'that was all' }];
  person.api.when('and then?', { content, usage: { input_tokens: 1234, cache_read_input_tokens: 56 } });
  const { session_id } = await person.prompt('print alpha', { cwd });
  await person.prompt('and then?', { cwd, resume: session_id });
  return session_id;
}

/** One turn with three tool calls in one reply; they end in another order than they were made in. */
export async function parallelSession(person: Person, cwd: string): Promise<string> {
  const calls = [
    bash('sleep 0.3; echo slow'),
    toolUse('Read', { file_path: join(person.home, '.gitconfig') }),
    bash('echo quick'),
  ];
  person.api.when('do three things', [{ type: 'text', text: 'all at once' }, ...calls], 'three things done');
  return (await person.prompt('do three things', { cwd })).session_id;
}

/** One turn with a tool result of 60,000 characters, which 2.1 keeps in a file beside the transcript. */
export async function largeResultSession(person: Person, cwd: string): Promise<string> {
  const path = join(person.home, 'large.txt'); // not in the directory, which may be a clean repository
  await writeFile(path, `${'0123456789'.repeat(6)}\n`.repeat(1000));
  person.api.when('print the file', bash(`cat ${path}`), 'it is long');
  return (await person.prompt('print the file', { cwd })).session_id;
}

/** A turn, a compaction, and a turn after it. */
export async function compactedSession(person: Person, cwd: string): Promise<string> {
  person.api.when('before the compaction', bash('echo before'), 'it was before');
  const { session_id } = await person.prompt('before the compaction', { cwd });
  await person.prompt('/compact', { cwd, resume: session_id });
  await person.prompt('after the compaction', { cwd, resume: session_id });
  return session_id;
}

/** One turn in which a subagent runs a command, with the main conversation waiting for it. */
export async function subagentSession(person: Person, cwd: string): Promise<string> {
  // 2.1 renamed the tool, and runs agents in the background unless told otherwise
  const [tool, more] = person.version === '2.0.76' ? ['Task', {}] : ['Agent', { run_in_background: false }];
  const input = { description: 'look around', prompt: 'look around', subagent_type: 'general-purpose', ...more };
  person.api.when('have somebody look', toolUse(tool, input), 'somebody looked');
  person.api.when('look around', bash('echo looking'), 'nothing to be seen');
  return (await person.prompt('have somebody look', { cwd })).session_id;
}

/** Two turns of which the second was taken back and replaced, in the TUI. */
export async function rewoundSession(person: Person, cwd: string): Promise<string> {
  const tui = await person.tui(cwd);
  const ask = async (question: string): Promise<void> => {
    await tui.submit(question);
    await tui.waitFor(`You said: ${question}`);
  };
  await ask('first question');
  await ask('second question');
  await tui.submit('/rewind');
  await tui.waitFor('Enter to continue');
  await tui.press('Up');
  await tui.waitFor('❯ second question');
  await tui.pressUntil('Restore conversation', 'Enter');
  await tui.pressUntil((screen) => inputOn(screen) === 'second question', 'Enter');
  await tui.clearInput();
  await ask('better question');
  await tui.exit();
  const { session_id } = person.api.lastRequest();
  if (session_id === null) throw new Error('the client did not name its session');
  return session_id;
}

/**
 * Two sessions in one directory whose turns overlap in time: while one waits for the model in the middle of a tool call, the
 * other has a whole turn; twice, with the parts swapped. Prompts in the order of time: `left 1`, `right 1`, `right 2`, `left 2`.
 */
export async function overlappingSessions(person: Person, cwd: string): Promise<[left: string, right: string]> {
  const { api } = person;
  const during = async (outer: string, resume: string | null, inner: () => Promise<string>): Promise<[string, string]> => {
    let other = '';
    api.when(outer, bash(`echo ${outer}`), async () => {
      other = await inner();
      return `${outer} done`;
    });
    const { session_id } = await person.prompt(outer, { cwd, resume });
    return [session_id, other];
  };
  const turn = async (prompt: string, resume: string | null): Promise<string> => {
    api.when(prompt, bash(`echo ${prompt}`), `${prompt} done`);
    return (await person.prompt(prompt, { cwd, resume })).session_id;
  };
  const [left, right] = await during('left 1', null, () => turn('right 1', null));
  await during('right 2', right, () => turn('left 2', left));
  return [left, right];
}

/**
 * One turn in which the agent itself runs a command: `git commit`, say, whose hook then sees an unfinished tool call.
 * 2.1.329 writes its transcript in batches, 0.1 s apart, so a command that is quick enough finds no file at all (`hurried`);
 * otherwise it waits until its own call has been written.
 */
export async function commandSession(person: Person, cwd: string, command: string, hurried = false): Promise<string> {
  const id = `toolu_${randomUUID().replaceAll('-', '')}`;
  const written = `until grep -rqs '"id":"${id}"' "$HOME/.claude/projects"; do sleep 0.05; done; `;
  const input = { command: `${hurried ? '' : written}${command}`, description: 'Runs a command' };
  person.api.when('run it', { type: 'tool_use', id, name: 'Bash', input }, 'it ran');
  return (await person.prompt('run it', { cwd })).session_id;
}
