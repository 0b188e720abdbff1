import { appendFileSync, existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { HOOK_NAMES } from '../../src/git/hooks/line.ts';
import { type HookedRepo, hooked } from '../helpers/hooks.ts';
import { createRepo, type TestRepo } from '../helpers/repo.ts';
import { createWorkplace } from '../helpers/workplace.ts';

const CLAUDE = { CLAUDECODE: '1' };
const shim = (repo: TestRepo, name: string) => join(repo.dir, '.git/cc-context/hooks', name);

/** What can become of the tool: [what, how, whether hooks say something]. */
const BROKEN: [string, (repo: TestRepo, hooks: HookedRepo) => void, RegExp][] = [
  ['the entry is gone', (_, hooks) => rmSync(hooks.shims.entry), /^$/],
  ['the shims are gone', (repo) => rmSync(shim(repo, '.'), { recursive: true }), /^$/],
  ['the shared shim is gone', (repo) => rmSync(shim(repo, 'shared.sh')), /^$/],
  ['the shims are not executable', (repo) => repo.run('chmod', ['-R', 'a-x+X', shim(repo, '.')]), /^$/],
  [
    'the entry throws',
    (_, hooks) => writeFileSync(hooks.shims.entry, 'process.exitCode = 3; throw new Error("broken")'),
    /Error: broken/,
  ],
  [
    'the entry is killed',
    (_, hooks) => writeFileSync(hooks.shims.entry, 'process.kill(process.pid, "SIGKILL")'),
    /^cc-context: no context was captured for this commit, the next one will own it: the capture was killed\.$/m,
  ],
  ['a shim has CRLF line ends', (repo) => crlf(shim(repo, 'shared.sh')), /./],
  ['a shim is no script', (repo) => writeFileSync(shim(repo, 'pre-commit'), '#!/nowhere/sh\n'), /./],
];

function crlf(path: string): void {
  writeFileSync(path, readFileSync(path, 'utf8').replaceAll('\n', '\r\n'));
}

describe.each(['', 'set -eu\n'])('commits, checkouts and clones succeed after %j when', (options) => {
  test.each(BROKEN)('%s', async (_, breakIt, says) => {
    using repo = createRepo();
    for (const name of HOOK_NAMES) repo.write(`.git/hooks/${name}`, `#!/bin/sh\n${options}`, 0o755);
    const hooks = hooked(repo);
    await hooks.init();
    breakIt(repo, hooks);
    const ran = [
      repo.run('git', ['commit', '--allow-empty', '-m', 'one'], { env: CLAUDE }),
      repo.run('git', ['commit', '--allow-empty', '--amend', '-m', 'two'], { env: CLAUDE }),
      repo.run('git', ['checkout', '-b', 'other'], { env: CLAUDE }),
      repo.run('git', ['worktree', 'add', '../tree'], { env: CLAUDE }),
      repo.run('git', ['push', repo.dir, 'other:pushed'], { env: CLAUDE }),
    ];
    expect(ran.map(({ code }) => code)).toEqual([0, 0, 0, 0, 0]);
    expect(ran[0]?.stderr).toMatch(says);
  });
});

test('node is gone: silent, and cc-status says it', async () => {
  using repo = createRepo();
  const hooks = hooked(repo);
  hooks.shims.node = join(repo.home, 'node');
  repo.run('cp', [process.execPath, hooks.shims.node]);
  await hooks.init();
  rmSync(hooks.shims.node);
  const { code, stderr } = repo.run('git', ['commit', '--allow-empty', '-m', 'one'], { env: CLAUDE });
  expect([code, stderr]).toEqual([0, '']);
  expect((await hooks.check()).problems).toEqual([
    `The Node.js that the hooks start is gone (${hooks.shims.node}). Run: cc-init`,
  ]);
});

test('CC_CONTEXT=0 switches everything off, and cc-status says it', async () => {
  using repo = createRepo();
  const hooks = hooked(repo);
  await hooks.init();
  const { code, stderr } = repo.run('git', ['commit', '--allow-empty', '-m', 'one'], { env: { ...CLAUDE, CC_CONTEXT: '0' } });
  expect([code, stderr, hooks.calls()]).toEqual([0, '', []]);
  repo.env['CC_CONTEXT'] = '0';
  expect((await hooks.check()).problems).toEqual([expect.stringContaining('unset CC_CONTEXT')]);
});

test('what the person set for node does not reach the hooks; what the network needs does, where it is used', async () => {
  using repo = createRepo();
  const hooks = hooked(repo);
  const seen = join(repo.home, 'seen');
  appendFileSync(
    hooks.shims.entry,
    `;require('fs').appendFileSync(${JSON.stringify(seen)}, [process.argv[2], ...['NODE_OPTIONS', 'NODE_EXTRA_CA_CERTS', 'NODE_ENV']` +
      `.map((name) => process.env[name])].join() + '\\n')`,
  );
  await hooks.init();
  const ca = repo.write('ca.pem', '');
  const env = { ...CLAUDE, NODE_OPTIONS: '--require /nowhere', NODE_EXTRA_CA_CERTS: ca, NODE_ENV: 'test' };
  repo.run('git', ['commit', '--allow-empty', '-m', 'one'], { env });
  await hooks.called('post-commit');
  await expect.poll(() => readFileSync(seen, 'utf8'), { timeout: 20_000 }).toBe(`pre-commit,,,test\npost-commit,,${ca},test\n`);
});

test('a commit whose output is captured does not wait for the detached hooks', async () => {
  using repo = createRepo();
  const hooks = hooked(repo);
  await hooks.init();
  const gate = join(repo.home, 'gate');
  // Ends only when the gate is opened, which happens after git commit has returned.
  appendFileSync(
    hooks.shims.entry,
    `;if (process.argv[2] === 'post-commit') while (!require('fs').existsSync(${JSON.stringify(gate)})) {}`,
  );
  const { code } = repo.run('git', ['commit', '--allow-empty', '-m', 'one'], { env: CLAUDE });
  expect(code).toBe(0);
  expect(existsSync(gate)).toBe(false);
  writeFileSync(gate, '');
  await hooks.called('post-commit');
});

test('post-commit runs in the foreground when the index has to be mended', async () => {
  using repo = createRepo();
  repo.commit();
  repo.git('worktree', 'add', '--quiet', '../tree');
  const worktree = join(repo.dir, '../tree');
  const hooks = hooked(repo);
  await hooks.init();
  const commit = () =>
    repo.run('git', ['commit', '--allow-empty', '-m', 'one'], { cwd: worktree, env: CLAUDE }).stderr.match(/recorded/g);
  repo.write('.git/cc-context-heal', ''); // of the main work tree: no concern of this one
  expect(commit()).toHaveLength(1);
  repo.write('.git/worktrees/tree/cc-context-heal', '');
  expect(commit()).toHaveLength(2);
  await expect.poll(() => hooks.calls().length, { timeout: 20_000 }).toBe(4);
});

/** A `sleep` that a test decides about, first in PATH; each of its calls is noted. */
function ownSleep(repo: TestRepo, script: string): { PATH: string; slept: () => string } {
  const [bin, slept] = [join(repo.home, 'bin'), join(repo.home, 'slept')];
  mkdirSync(bin);
  writeFileSync(join(bin, 'sleep'), `#!/bin/sh\necho "$1 $$" >>'${slept}'\n${script}\n`, { mode: 0o755 });
  return { PATH: `${bin}:${repo.env['PATH']}`, slept: () => readFileSync(slept, 'utf8') };
}

test.each<[string, NodeJS.ProcessEnv, string | null, string[]]>([
  ['', {}, null, ['7']],
  [', later with a longer time box', { CC_CONTEXT_TIMEOUT: '20.5' }, null, ['7', '20']],
  [', later with a longer time box that is configured', {}, '600', ['7', '600']],
  [', whatever the time box is said to be', { CC_CONTEXT_TIMEOUT: 'x; exit' }, '20', ['7']],
])('a capture that hangs where no timer fires is ended%s', async (_, env, config, seconds) => {
  using repo = createRepo();
  const hooks = hooked(repo);
  await hooks.init();
  if (config !== null) repo.git('config', 'cc-context.timeout', config);
  const [begun, never] = [join(repo.home, 'begun'), join(repo.home, 'never')];
  repo.run('mkfifo', [begun, never]);
  appendFileSync(
    hooks.shims.entry,
    `;if (process.argv[2] === 'pre-commit') {\n  const fs = require('fs');\n  fs.writeFileSync(${JSON.stringify(begun)}, '');\n  fs.readFileSync(${JSON.stringify(never)});\n}`,
  );
  // The time is over as soon as the capture hangs.
  const { PATH, slept } = ownSleep(repo, `[ "$1" != 7 ] || cat '${begun}'`);
  const { code, stderr } = repo.run('git', ['commit', '--quiet', '--allow-empty', '-m', 'one'], {
    env: { ...CLAUDE, PATH, ...env },
  });
  expect([code, stderr]).toEqual([
    0,
    'recorded\ncc-context: no context was captured for this commit, the next one will own it: the capture hung and was ended.\n',
  ]);
  expect(
    slept()
      .trim()
      .split('\n')
      .map((call) => call.split(' ')[0]),
  ).toEqual(seconds);
  await hooks.called('post-commit');
});

test('nothing is left of what watches over the capture', async () => {
  using repo = createRepo();
  const hooks = hooked(repo);
  await hooks.init();
  const never = join(repo.home, 'never');
  repo.run('mkfifo', [never]);
  const { PATH, slept } = ownSleep(repo, `exec cat '${never}'`);
  appendFileSync(
    hooks.shims.entry,
    `;if (process.argv[2] === 'pre-commit') while (!require('fs').existsSync(${JSON.stringify(join(repo.home, 'slept'))})) {}`,
  );
  const { code, stderr } = repo.run('git', ['commit', '--quiet', '--allow-empty', '-m', 'one'], { env: { ...CLAUDE, PATH } });
  expect([code, stderr]).toEqual([0, 'recorded\n']);
  const sleeper = Number(slept().split(' ')[1]);
  await expect.poll(() => repo.run('kill', ['-0', String(sleeper)]).code, { timeout: 20_000 }).not.toBe(0);
  await hooks.called('post-commit');
});

test('a repository that was moved to a path with a line break: one sentence, and nothing is read from another one', () => {
  using work = createWorkplace();
  const moved = `${work.dir}\nmoved`;
  renameSync(work.dir, moved);
  const ran = work.run('git', ['commit', '--quiet', '--allow-empty', '-m', 'one'], { cwd: moved, env: CLAUDE });
  expect(ran).toEqual({
    code: 0,
    stdout: '',
    stderr:
      'cc-context: The path of this repository holds a line break, which is not supported. Move it to a path without one.\n',
  });
});
