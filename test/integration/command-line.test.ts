import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect, inject, test } from 'vitest';
import type { ListedCommit } from '../../src/commands/list.ts';
import { talkAndCommit } from '../helpers/history.ts';
import { createWorkplace } from '../helpers/workplace.ts';

const COMMANDS = ['status', 'list', 'show', 'restore', 'diff', 'init'];
const args = (command: string) => (command === 'diff' ? ['HEAD', 'HEAD'] : []);

test.each([
  ['list', '--limit', 'many'],
  ['list', '--limit', '-1'],
  ['list', '--limit', '1.5'],
  ['list', 'one', 'two'],
  ['list', '--unknown'],
  ['diff', 'HEAD'],
  ['show', '--session'],
  ['status', 'HEAD'],
  ['cc-context', 'lisst'],
  ['cc-context'],
])('wrong usage ends with 2: %s %s %s', (command, ...rest) => {
  using work = createWorkplace();
  const ran = work.cc(command, ...rest);
  expect(ran).toMatchObject({ code: 2, stdout: '' });
  expect(ran.stderr).not.toBe('');
});

test.each(COMMANDS)('cc-%s outside a repository, in a bare one, in a directory that is none', (command) => {
  using work = createWorkplace();
  const bare = join(work.home, 'bare.git');
  work.git('clone', '--quiet', '--bare', work.dir, bare);
  mkdirSync(join(work.home, 'plain'));
  const file = work.write('../home/file', '');
  for (const [where, said] of [
    [join(work.home, 'plain'), 'This is not a Git repository.'],
    [bare, 'This is a bare repository'],
    [join(work.home, 'missing'), 'missing'],
    [file, 'file'],
  ] as const) {
    const ran = work.cc(command, '-C', where, ...args(command));
    expect(ran).toMatchObject({ code: 1, stdout: '' });
    expect(ran.stderr).toContain(said);
    expect(ran.stderr.trimEnd().split('\n')).toHaveLength(2);
    expect(ran.stderr).not.toContain('bug');
  }
});

test('git cc, cc-context and -C are the same', () => {
  using work = createWorkplace();
  const one = talkAndCommit(work, work.session(), 'one');
  mkdirSync(join(work.dir, 'sub'));
  const path = `${inject('bin')}:${work.env['PATH']}`;
  const git = (cwd: string, ...rest: string[]) => work.run('git', ['cc', ...rest], { cwd, env: { PATH: path } });
  const expected = work.cc('list').stdout;
  expect(expected).toContain(one.slice(0, 12));
  expect(git(work.dir, 'list').stdout).toBe(expected);
  expect(git(join(work.dir, 'sub'), 'list').stdout).toBe(expected);
  expect(git(work.home, '-C', work.dir, 'list').stdout).toBe(expected);
  expect(git(work.home, 'list', '-C', work.dir).stdout).toBe(expected);
  expect(work.cc('cc-context', 'list').stdout).toBe(expected);
  expect(git(work.dir, 'nonsense').code).toBe(2);
});

test('what is piped has no colours, with NO_COLOR and without; a reader that stops early is no error', () => {
  using work = createWorkplace();
  talkAndCommit(work, work.session(), 'one');
  for (const env of [{}, { NO_COLOR: '1' }]) {
    for (const command of ['list', 'status', 'show']) {
      const ran = work.run(process.execPath, [join(inject('bin'), `cc-${command}`)], { env });
      expect(ran.stdout).not.toMatch(/\u001b/);
    }
  }
  const session = work.session();
  session.say('long', 'x'.repeat(2_000_000));
  talkAndCommit(work, session, 'two');
  const ran = work.run('sh', ['-c', `"$0" "$1" | head -c 10`, process.execPath, join(inject('bin'), 'cc-show')]);
  expect(ran).toMatchObject({ code: 0, stderr: '' });
});

test('--json prints the data and nothing else', () => {
  using work = createWorkplace();
  talkAndCommit(work, work.session(), 'one');
  const listed = work.run(process.execPath, [join(inject('bin'), 'cc-context'), '--json', 'list']);
  expect((JSON.parse(listed.stdout) as ListedCommit[]).map(({ subject }) => subject)).toEqual(['one', 'begin']);
  expect(listed.stderr).toBe('');
});
