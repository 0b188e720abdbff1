import { spawn } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { ListedCommit } from '../../src/commands/list.ts';
import { createWorkplace, type Workplace } from '../helpers/workplace.ts';

/** Runs git without waiting for the others. */
function git(work: Workplace, cwd: string, ...args: string[]): Promise<void> {
  return new Promise((done, fail) => {
    const child = spawn('git', args, { cwd, env: work.env, stdio: ['ignore', 'ignore', 'pipe'] });
    let stderr = '';
    child.stderr.on('data', (data) => {
      stderr += data;
    });
    child.on('error', fail);
    child.on('close', (code) => (code === 0 ? done() : fail(new Error(`git ${args.join(' ')} ended with ${code}: ${stderr}`))));
  });
}

test.each([
  [2, 1],
  [2, 10],
  [8, 10],
])('%i worktrees commit %i times at once', { timeout: 300_000 }, async (count, commits) => {
  using work = createWorkplace();
  work.commit('a file');
  const trees = Array.from({ length: count }, (_, at) => {
    work.git('worktree', 'add', '--quiet', '-b', `tree-${at}`, `../tree-${at}`);
    const cwd = join(work.dir, `../tree-${at}`);
    return { at, cwd, session: work.session(cwd) };
  });
  await Promise.all(
    trees.map(async ({ at, cwd, session }) => {
      for (let round = 0; round < commits; round += 1) {
        session.say(`round ${round}`);
        mkdirSync(join(cwd, 'own'), { recursive: true });
        writeFileSync(join(cwd, 'own', `${at}-${round}.txt`), '\n');
        await git(work, cwd, 'add', '.');
        await git(work, cwd, 'commit', '--quiet', '-m', `round ${round}`);
      }
    }),
  );
  for (const { at, cwd, session } of trees) {
    const listed = work.json<ListedCommit[]>('list', `main..tree-${at}`);
    expect(listed).toHaveLength(commits);
    listed.forEach(({ contexts }, age) => {
      const message_count = 2 * (commits - age);
      expect(contexts).toMatchObject([{ new_messages_since_parent: 2, sessions: [{ session_id: session.id, message_count }] }]);
    });
    expect(work.dirt(cwd)).toBe('');
    work.git('merge', '--quiet', '--no-edit', `tree-${at}`); // throws on a conflict
  }
  const all = work
    .json<ListedCommit[]>('list', '--limit', '0')
    .flatMap(({ contexts }) => contexts.map(({ context_id }) => context_id));
  expect(new Set(all).size).toBe(count * commits);
  expect(all).toHaveLength(count * commits);
  expect(work.dirt()).toBe('');
});
