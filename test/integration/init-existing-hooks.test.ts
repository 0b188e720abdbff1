import { copyFileSync, existsSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { hooked, tree } from '../helpers/hooks.ts';
import { createRepo, type TestRepo } from '../helpers/repo.ts';

const CLAUDE = { CLAUDECODE: '1' };
const NOTE = 'echo "mine $#" >>"$HOME/mine"';

const has = (repo: TestRepo, program: string) => repo.run('sh', ['-c', `command -v ${program}`]).code === 0;

/** Shell scripts that end in a note of theirs: [situation, program needed, script]. */
const SHELL: [string, string, string][] = [
  ['sh', 'sh', `#!/bin/sh\n${NOTE}\n`],
  ['bash with strict options', 'bash', `#!/bin/bash\nset -euo pipefail\n${NOTE}\n`],
  ['env bash', 'bash', `#!/usr/bin/env bash\n${NOTE}\n`],
  ['env -S', 'bash', `#!/usr/bin/env -S bash -eu\n${NOTE}\n`],
  ['sh -eu', 'sh', `#! /bin/sh -eu\n${NOTE}\n`],
  ['zsh', 'zsh', `#!/usr/bin/env zsh\nsetopt err_exit no_unset\n${NOTE}\n`],
  ['ksh', 'ksh', `#!/usr/bin/env ksh\nset -eu\n${NOTE}\n`],
  ['no shebang', 'sh', `${NOTE}\n`],
  ['no newline at the end', 'sh', `#!/bin/sh\n${NOTE}`],
  ['nothing but a shebang, no newline', 'sh', '#!/bin/sh'],
  ['nothing but a shebang', 'sh', '#!/bin/sh\n'],
  ['an empty file', 'sh', ''],
  ['bytes that are no UTF-8', 'sh', `#!/bin/sh\n# caf\xe9 \xff\n${NOTE}\n`],
  ['CRLF without a shebang', 'sh', `${NOTE} #\r\n`],
];

describe.each(SHELL)('a hook of %s', (_, program, script) => {
  test('gets one line, runs as before and comes back byte for byte', async (context) => {
    using repo = createRepo();
    if (!has(repo, program)) return context.skip(`${program} is not there`);
    repo.write('.git/hooks/pre-commit', Buffer.from(script, 'latin1'), 0o750);
    const before = tree(repo.dir);
    const hooks = hooked(repo);
    const result = await hooks.init();
    expect(result.hooks[0]).toMatchObject({ hook: 'pre-commit', change: 'edited' });
    expect(result.capture?.problems).toEqual([]);
    const installed = tree(repo.dir);
    await hooks.init();
    expect(tree(repo.dir)).toEqual(installed);
    expect(installed['.git/hooks/pre-commit']).toMatch(/^750 /);

    const { code, stderr } = repo.run('git', ['commit', '--allow-empty', '-m', 'one'], { env: CLAUDE });
    expect([code, stderr.trim()]).toEqual([0, 'recorded']);
    expect(hooks.calls()).toContain('pre-commit');
    if (script.includes(NOTE)) expect(readFileSync(join(repo.home, 'mine'), 'latin1')).toMatch(/^mine 0/);
    await hooks.called('post-commit');

    repo.git('update-ref', '-d', 'HEAD');
    await hooks.init({ uninstall: true });
    expect(tree(repo.dir, ['.git/logs', '.git/objects', '.git/index', '.git/COMMIT_EDITMSG'])).toEqual(
      Object.fromEntries(Object.entries(before).filter(([path]) => !/^\.git\/(logs|objects|index|COMMIT_EDITMSG)/.test(path))),
    );
  });
});

const PERL = '#!/usr/bin/env perl\nopen(my $mine, ">>", "$ENV{HOME}/mine"); print $mine "mine ".@ARGV;\n';
const NODE = '#!/usr/bin/env node\nrequire("fs").appendFileSync(process.env.HOME + "/mine", `mine ${process.argv.length - 2}`)\n';

/** Hooks that are put aside: [situation, how they are made, the note they leave (none: Git did not run them either)]. */
const OTHER: [string, (repo: TestRepo, path: string) => void, RegExp | null][] = [
  ['perl', (_, path) => writeFileSync(path, PERL, { mode: 0o755 }), /mine 0/],
  ['node', (_, path) => writeFileSync(path, NODE, { mode: 0o755 }), /mine 0/],
  ['perl behind sh', (_, path) => writeFileSync(path, `#!/bin/sh\nexec perl -x "$0" "$@"\n${PERL}`, { mode: 0o755 }), /mine 0/],
  ['a binary', (_, path) => copyFileSync(existsSync('/bin/true') ? '/bin/true' : '/usr/bin/true', path), null],
  ['a shell script that is switched off', (_, path) => writeFileSync(path, `#!/bin/sh\n${NOTE}\n`, { mode: 0o644 }), null],
  [
    'a symbolic link to a script of the project',
    (repo, path) => {
      repo.write('scripts/check', `#!/bin/sh\ncd "$(dirname "$0")/../.." && test -d scripts || exit 1\n${NOTE}\n`, 0o755);
      symlinkSync('../../scripts/check', path);
    },
    /mine 0/,
  ],
  [
    'a symbolic link to a dispatcher that asks for its name',
    (repo, path) => {
      repo.write('scripts/dispatch', `#!/bin/sh\ntest "$(basename "$0")" = pre-commit || exit 1\n${NOTE}\n`, 0o755);
      symlinkSync('../../scripts/dispatch', path);
    },
    /mine 0/,
  ],
  ['a symbolic link that leads nowhere', (_, path) => symlinkSync('../../nowhere', path), null],
];

describe.each(OTHER)('a hook that is %s', (_, make, note) => {
  test('is put aside, called as before, and moved back', async () => {
    using repo = createRepo();
    make(repo, join(repo.dir, '.git/hooks/pre-commit'));
    const before = tree(repo.dir);
    const hooks = hooked(repo);
    const result = await hooks.init();
    expect(result.hooks[0]).toMatchObject({ hook: 'pre-commit', change: 'wrapped' });
    expect(result.capture?.problems).toEqual([]);
    const installed = tree(repo.dir);
    await hooks.init();
    expect(tree(repo.dir)).toEqual(installed);

    const { code, stderr } = repo.run('git', ['commit', '--allow-empty', '-m', 'one'], { env: CLAUDE });
    expect([code, stderr.trim()]).toEqual([0, 'recorded']);
    const mine = join(repo.home, 'mine');
    if (note) expect(readFileSync(mine, 'utf8')).toMatch(note);
    else expect(existsSync(mine)).toBe(false);
    await hooks.called('post-commit');

    await hooks.init({ uninstall: true });
    const ofHooks = (all: Record<string, string>) =>
      Object.fromEntries(Object.entries(all).filter(([path]) => path.startsWith('.git/hooks')));
    expect(ofHooks(tree(repo.dir))).toEqual(ofHooks(before));
    expect(existsSync(join(repo.dir, '.git/cc-context'))).toBe(false);
  });
});

test.each([
  ['a shell script', `#!/bin/sh\nexit 3\n`],
  ['another program', `#!/usr/bin/env perl\nexit 3;\n`],
])('%s that refuses the commit still does', async (_, script) => {
  using repo = createRepo();
  repo.write('.git/hooks/pre-commit', script, 0o755);
  await hooked(repo).init();
  expect(repo.run('git', ['commit', '--allow-empty', '-m', 'one']).code).toBe(1);
});

test.each([
  ['a shell script', `#!/bin/sh\n{ echo "$@"; cat; } >>"$HOME/mine"\n`],
  ['another program', `#!/usr/bin/env perl\nopen(my $mine, ">>", "$ENV{HOME}/mine"); print $mine "@ARGV\\n", <STDIN>;\n`],
])('%s still gets its arguments and all of stdin on a push', async (_, script) => {
  using repo = createRepo();
  repo.write('.git/hooks/pre-push', script, 0o755);
  const hooks = hooked(repo);
  await hooks.init();
  const commit = (repo.git('commit', '--allow-empty', '-m', 'one'), repo.git('rev-parse', 'HEAD'));
  repo.git('init', '--quiet', '--bare', '../remote');
  repo.git('push', '../remote', 'main');
  expect(readFileSync(join(repo.home, 'mine'), 'utf8')).toBe(
    `../remote ../remote\nrefs/heads/main ${commit} refs/heads/main ${'0'.repeat(40)}\n`,
  );
});

test('a hook put aside earlier is never overwritten', async () => {
  using repo = createRepo();
  const hooks = hooked(repo);
  repo.write('.git/hooks/pre-commit', PERL, 0o755);
  await hooks.init();
  repo.write('.git/hooks/pre-commit', NODE, 0o755);
  expect((await hooks.check()).problems).toHaveLength(1);
  await hooks.init();
  const aside = tree(join(repo.dir, '.git/hooks'));
  expect(aside['pre-commit.before-cc-context']).toBe(`755 ${PERL}`);
  expect(aside['pre-commit.before-cc-context-2']).toBe(`755 ${NODE}`);
  await hooks.init({ uninstall: true });
  expect(tree(join(repo.dir, '.git/hooks'))['pre-commit']).toBe(`755 ${NODE}`);
});

test('a wrapper that somebody added to is left in place, without our lines', async () => {
  using repo = createRepo();
  const hooks = hooked(repo);
  const path = repo.write('.git/hooks/pre-commit', PERL, 0o755);
  await hooks.init();
  writeFileSync(path, `${readFileSync(path, 'utf8')}echo added\n`);
  const result = await hooks.init({ uninstall: true });
  expect(result.hooks[0]).toMatchObject({ hook: 'pre-commit', change: 'left' });
  expect(result.notes[0]).toContain(`${path} was changed since`);
  const files = tree(join(repo.dir, '.git/hooks'));
  expect([files['pre-commit'], files['pre-commit.before-cc-context']]).toEqual(['755 #!/bin/sh\necho added\n', `755 ${PERL}`]);
});
