import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { expectCaptured } from '../helpers/ownership.ts';
import { createWorkplace } from '../helpers/workplace.ts';

/** Git builds each of these commits in an index file of another name. `file.txt` is changed and not staged. */
const WAYS: Record<string, { args: string[]; cwd?: string; input?: string; before?: string[] }> = {
  '-a': { args: ['-a'] },
  '-i path': { args: ['-i', 'file.txt'] },
  '-o path': { args: ['-o', 'file.txt'] },
  '-- path': { args: ['--', 'file.txt'] },
  '--pathspec-from-file': { args: ['--pathspec-from-file=-'], input: 'file.txt\n' },
  '-p': { args: ['-p'], input: 'y\n' },
  'in a subdirectory, -a': { args: ['-a'], cwd: 'deep/down' },
  'in a subdirectory, -- path': { args: ['--', '../../file.txt'], cwd: 'deep/down' },
  'on a detached HEAD': { args: ['-a'], before: ['checkout', '--quiet', '--detach'] },
};

test.each(Object.entries(WAYS))('commit %s', (_, { args, cwd = '.', input = '', before }) => {
  using work = createWorkplace();
  work.commit('a file');
  if (before !== undefined) work.git(...before);
  mkdirSync(join(work.dir, cwd), { recursive: true });
  for (const round of [1, 2]) {
    const session = work.session();
    session.say(`round ${round}`);
    work.write('file.txt', `round ${round}\n`);
    const ran = work.run('git', ['commit', '-m', `round ${round}`, ...args], { cwd: join(work.dir, cwd), input });
    expectCaptured(work, ran, [session]);
    expect(work.git('show', 'HEAD:file.txt')).toBe(`round ${round}`);
  }
});

test.each([['-o'], ['--']])('commit %s path leaves what else is staged, and what is not', (option) => {
  using work = createWorkplace();
  work.commit('a file');
  const session = work.session();
  session.say('change three files');
  for (const name of ['file.txt', 'staged.txt', 'loose.txt']) work.write(name, 'changed\n');
  work.git('add', 'staged.txt');
  const dirt = 'A  staged.txt\n?? loose.txt\n';
  const first = work.run('git', ['commit', '-m', 'one file', option, 'file.txt']);
  expectCaptured(work, first, [session], { dirt });

  session.say('and again');
  work.write('file.txt', 'changed again\n');
  expectCaptured(work, work.run('git', ['commit', '-m', 'again', option, 'file.txt']), [session], { dirt });

  session.say('the rest');
  expectCaptured(work, work.run('git', ['commit', '-m', 'the rest']), [session], { dirt: '?? loose.txt\n' });
  expect(
    work
      .git('show', '--name-only', '--format=', 'HEAD')
      .split('\n')
      .filter((path) => !path.startsWith('.cc-')),
  ).toEqual(['staged.txt']);
});

test('commit -p of one hunk leaves the other unstaged', () => {
  using work = createWorkplace();
  const lines = Array.from({ length: 30 }, (_, at) => `line ${at}`);
  work.write('long.txt', `${lines.join('\n')}\n`);
  work.git('add', 'long.txt');
  work.git('commit', '--quiet', '-m', 'long');
  const session = work.session();
  session.say('change both ends');
  work.write('long.txt', `${['first', ...lines.slice(1, -1), 'last'].join('\n')}\n`);
  const ran = work.run('git', ['commit', '-p', '-m', 'one end'], { input: 'y\nn\n' });
  expectCaptured(work, ran, [session], { dirt: ' M long.txt\n' });
  expect(work.git('diff', '--stat', 'HEAD~1', 'HEAD', '--', 'long.txt')).toContain('1 insertion(+), 1 deletion(-)');
});
