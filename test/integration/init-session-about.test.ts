import { spawnSync } from 'node:child_process';
import { mkdirSync, realpathSync, renameSync, symlinkSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { projectName } from '../../src/claude/paths.ts';
import { shimsDir, writeShims } from '../../src/git/hooks/shims.ts';
import { hooked } from '../helpers/hooks.ts';
import { createRepo, type TestRepo } from '../helpers/repo.ts';

const SHELLS = ['dash', 'bash --posix', 'busybox sh', 'zsh --emulate sh', 'ksh'].filter(
  (shell) => spawnSync('sh', ['-c', `command -v ${shell.split(' ')[0]}`]).status === 0,
);

/** Puts a transcript where Claude Code keeps those of a directory. */
function session(repo: TestRepo, directory: string, config = join(repo.home, '.claude')): void {
  const project = join(config, 'projects', projectName(directory));
  mkdirSync(project, { recursive: true });
  writeFileSync(join(project, '11111111-2222-4333-8444-555555555555.jsonl'), '');
}

/** Whether a commit made there starts node in pre-commit. */
async function captures(
  repo: TestRepo,
  { cwd = repo.dir, env = {} }: { cwd?: string; env?: NodeJS.ProcessEnv } = {},
): Promise<boolean> {
  const hooks = hooked(repo);
  await hooks.init();
  const { code } = repo.run('git', ['commit', '--allow-empty', '-m', 'one'], { cwd, env });
  expect(code).toBe(0);
  if (hooks.calls().includes('pre-commit')) await hooks.called('post-commit');
  return hooks.calls().includes('pre-commit');
}

/** Whether a name matches the pattern followed by `*`, as a shell has it. */
function startsLike(name: string, pattern: string): boolean {
  const [first = '', ...rest] = pattern.split('*');
  const ends = rest.reduce(
    (at, part) => (at < 0 || name.indexOf(part, at) < 0 ? -1 : name.indexOf(part, at) + part.length),
    first.length,
  );
  return name.startsWith(first) && ends >= 0;
}

describe('a session of this work tree is never missed', () => {
  test.each([
    'plain',
    'with space and  two',
    'dots.and_under-scores--',
    'globs [a-z]*?{x}\\$HOME `id`',
    `quotes ' and "`,
    'ünï-Ж',
    'cafe\u0301',
    '😀 astral 😀',
    'tab\tand\u0001control',
    'x'.repeat(240),
    'é'.repeat(100),
    `${'ab é '.repeat(30)}`.trim(),
  ])('in %j', async (name) => {
    using repo = createRepo({ name });
    session(repo, repo.dir);
    expect(await captures(repo)).toBe(true);
  });

  test('in a path with a newline', async () => {
    using repo = createRepo();
    const hooks = hooked(repo);
    await hooks.init();
    const moved = join(repo.dir, '..', 'new\nline');
    renameSync(repo.dir, moved);
    session(repo, realpathSync(moved));
    repo.run('git', ['commit', '--allow-empty', '-m', 'one'], { cwd: moved });
    await hooks.called('post-commit');
    expect(hooks.calls()).toContain('pre-commit');
  });

  test.each(['sub', 'sub/of ünï/sub', 'x'.repeat(200)])('of its subdirectory %j', async (path) => {
    using repo = createRepo();
    session(repo, join(repo.dir, path));
    expect(await captures(repo)).toBe(true);
  });

  test('when the commit is made through a symbolic link, or in a subdirectory', async () => {
    using repo = createRepo();
    session(repo, repo.dir);
    symlinkSync(repo.dir, join(repo.home, 'link'));
    repo.write('sub/file', '');
    expect(await captures(repo, { cwd: join(repo.home, 'link') })).toBe(true);
    expect(await captures(repo, { cwd: join(repo.dir, 'sub') })).toBe(true);
  });

  test.each(['false', 'true'])('of another work tree, with worktree.useRelativePaths %s', async (relative) => {
    using repo = createRepo({ name: 'main tree' });
    repo.commit();
    repo.git('config', 'worktree.useRelativePaths', relative); // known to git 2.48 and later
    repo.git('worktree', 'add', '--quiet', '-b', 'a', '../tree a');
    repo.git('worktree', 'add', '--quiet', '-b', 'b', '../tree b');
    const [a, b] = ['a', 'b'].map((name) => join(repo.dir, `../tree ${name}`)) as [string, string];
    expect(await captures(repo, { cwd: a })).toBe(false);
    session(repo, repo.dir);
    expect(await captures(repo, { cwd: a })).toBe(true);
    renameSync(join(repo.home, '.claude'), join(repo.home, 'gone'));
    session(repo, b);
    expect(await captures(repo, { cwd: a })).toBe(true);
    expect(await captures(repo)).toBe(true);
  });

  test('in the configuration that CLAUDE_CONFIG_DIR names', async () => {
    using repo = createRepo();
    const config = join(repo.home, 'my claude');
    session(repo, repo.dir, config);
    expect(await captures(repo)).toBe(false);
    expect(await captures(repo, { env: { CLAUDE_CONFIG_DIR: config, HOME: undefined } })).toBe(true);
  });

  test.each(['CLAUDECODE', 'CLAUDE_CODE_SESSION_ID'])('that commits itself (%s)', async (variable) => {
    using repo = createRepo();
    expect(await captures(repo, { env: { [variable]: '1', HOME: undefined } })).toBe(true);
  });
});

describe('no node is started', () => {
  test('without a Claude Code, and with sessions elsewhere only', async () => {
    using repo = createRepo();
    expect(await captures(repo)).toBe(false);
    session(repo, join(repo.home, 'project'));
    session(repo, join(repo.dir, '..'));
    mkdirSync(join(repo.home, '.claude/projects', projectName(repo.dir)));
    expect(await captures(repo)).toBe(false);
  });

  test('without a home', async () => {
    using repo = createRepo();
    session(repo, repo.dir);
    const hooks = hooked(repo);
    await hooks.init();
    const { code, stderr } = repo.run('git', ['commit', '--allow-empty', '-m', 'one'], { env: { HOME: undefined } });
    expect([code, stderr, hooks.calls()]).toEqual([0, '', []]);
  });

  test.each([
    ['a file', (path: string) => writeFileSync(path, '')],
    ['a loop of links', (path: string) => symlinkSync('projects', path)],
    ['unreadable', (path: string) => mkdirSync(path, { mode: 0o000 })],
  ])('where the folder of all projects is %s', async (_, make) => {
    using repo = createRepo();
    mkdirSync(join(repo.home, '.claude'));
    make(join(repo.home, '.claude/projects'));
    expect(await captures(repo)).toBe(false);
  });
});

describe.each(SHELLS)('in %s', (shell) => {
  test('the patterns match the project directory of every path and of everything below it', () => {
    using repo = createRepo();
    writeShims(repo.dir, hooked(repo).shims);
    const shim = join(shimsDir(repo.dir), 'pre-commit');
    const name = fc.string({ unit: fc.constantFrom(...'aZ09-_. *?[]{}\'"$`\\/~!éeЖ\u0301😀\t'), maxLength: 40 });
    const path = fc.tuple(fc.array(name, { maxLength: 12 }), fc.array(name, { maxLength: 8 }));
    fc.assert(
      fc.property(fc.array(path, { minLength: 50, maxLength: 50 }), (paths) => {
        const tops = paths.map(([top]) => `/${top.join('/')}`);
        const [program = 'sh', ...options] = shell.split(' ');
        const { stdout } = repo.run(program, [...options, '-c', '. "${0%/*}/shared.sh"; project_patterns', shim], {
          input: `${tops.join('\n')}\n`,
        });
        const patterns = stdout.split('\n').slice(0, -1);
        expect(patterns).toHaveLength(tops.length);
        for (const [index, pattern] of patterns.entries()) {
          expect(pattern).toMatch(/^[A-Za-z0-9*-]*$/);
          const top = tops[index] as string;
          expect([pattern, top, startsLike(projectName(top), pattern)]).toEqual([pattern, top, true]);
          const below = `${top}/${paths[index]?.[1].join('/')}`;
          expect([pattern, below, startsLike(projectName(below), pattern)]).toEqual([pattern, below, true]);
        }
      }),
      { numRuns: 20 },
    );
  });
});

test('a path that needs no pattern is its own name', () => {
  using repo = createRepo();
  expect(projectName(repo.dir)).toContain(basename(repo.dir));
  writeShims(repo.dir, hooked(repo).shims);
  const { stdout } = repo.run('sh', ['-c', '. "${0%/*}/shared.sh"; project_patterns', join(shimsDir(repo.dir), 'pre-commit')], {
    input: `${repo.dir}\n/${'a'.repeat(300)}\n/home/josé/x\n`,
  });
  expect(stdout).toBe(`${projectName(repo.dir)}\n-${'a'.repeat(199)}\n-home-jo*-x\n`);
});
