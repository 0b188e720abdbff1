import { spawn, spawnSync } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { cpSync, mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { projectName } from '../src/claude/paths.ts';
import { makeTranscript } from './transcript.mjs';

/** Where everything that the bench makes lies; gone when it ends. */
const base = realpathSync(mkdtempSync(join(tmpdir(), 'cc-bench-')));
process.on('exit', () => rmSync(base, { recursive: true, force: true }));

/** The package as it is built now, in a place where no later build replaces it. */
export const PACKAGE = copyOfPackage();

function copyOfPackage() {
  const from = join(import.meta.dirname, '..');
  const copy = join(base, 'package');
  for (const part of ['bin', 'dist', 'hooks', 'package.json']) cpSync(join(from, part), join(copy, part), { recursive: true });
  symlinkSync(join(from, 'node_modules'), join(copy, 'node_modules'));
  return copy;
}

/** Starts a program and waits for it; the environment is all it gets. @throws with its words when it fails. */
export function run(command, args, { cwd = base, env, input, stdio = 'pipe' }) {
  const { status, stdout, stderr, error } = spawnSync(command, args, { cwd, env, input, stdio, maxBuffer: 1e9 });
  if (error) throw error;
  if (status !== 0) throw new Error(`${command} ${args.join(' ')} ended with ${status}: ${stderr}`);
  return stdout?.toString() ?? '';
}

/** Milliseconds that a program takes. */
export function timed(command, args, options) {
  const started = performance.now();
  run(command, args, options);
  return performance.now() - started;
}

/** A folder of its own. */
export function folder(name) {
  const path = join(base, `${name}-${randomUUID().slice(0, 8)}`);
  mkdirSync(path, { recursive: true });
  return path;
}

/**
 * A repository with a home of its own, and nothing of this machine's configuration.
 * @param hooks 'none', 'empty' (sh scripts that do nothing) or 'cc-context'.
 */
export function makeWorkplace({ name, hooks }) {
  const home = folder(`${name}-home`);
  const dir = folder(name);
  const store = join(home, 'store');
  const gitconfig = join(home, '.gitconfig');
  writeFileSync(gitconfig, '[user]\n\tname = Alice\n\temail = alice@example.com\n[gc]\n\tauto = 0\n');
  const env = {
    PATH: process.env['PATH'],
    HOME: home,
    CC_CONTEXT_HOME: store,
    CC_CONTEXT_TIMEOUT: '600',
    GIT_CONFIG_GLOBAL: gitconfig,
    GIT_CONFIG_NOSYSTEM: '1',
    LC_ALL: 'C.UTF-8',
  };
  const git = (...args) => run('git', args, { cwd: dir, env }).trim();
  let commits = 0;
  const change = () => {
    commits += 1;
    writeFileSync(join(dir, 'file-0.txt'), `${commits} ${randomUUID()}\n`);
    git('add', 'file-0.txt');
  };

  git('init', '--quiet', '--initial-branch=main');
  for (let file = 0; file < 200; file += 1) writeFileSync(join(dir, `file-${file}.txt`), `${file}\n`);
  git('add', '.');
  git('commit', '--quiet', '-m', 'begin');
  if (hooks === 'cc-context') run(process.execPath, [join(PACKAGE, 'bin', 'cc-init.js')], { cwd: dir, env });
  if (hooks === 'empty') {
    for (const hook of ['pre-commit', 'post-commit'])
      writeFileSync(join(dir, '.git', 'hooks', hook), '#!/bin/sh\nexit 0\n', { mode: 0o755 });
  }

  return {
    dir,
    home,
    env,
    store,
    git,
    /** Starts a session that works in this repository. */
    session: (seed = 1) => {
      const sessionId = randomUUID();
      const path = join(home, '.claude', 'projects', projectName(dir), `${sessionId}.jsonl`);
      return makeTranscript({ path, sessionId, cwd: dir, seed });
    },
    /**
     * Changes a file and commits it; only the commit is timed.
     * @returns how long a person waits for it, and until when its background work is done (milliseconds).
     */
    async commit() {
      change();
      return await timedCommit({ cwd: dir, env });
    },
    /** Does a commit own a context? The bench must not measure hooks that did nothing. */
    contexts: () =>
      git('log', '--diff-filter=A', '--name-only', '--format=', '--', '.cc-snapshots')
        .split('\n')
        .filter((path) => path.endsWith('.json')).length,
  };
}

/** The background work inherits a pipe: when that closes, the last of it has ended. */
function timedCommit({ cwd, env }) {
  const started = performance.now();
  const child = spawn('git', ['commit', '--quiet', '-m', 'a commit'], {
    cwd,
    env,
    stdio: ['ignore', 'ignore', 'ignore', 'pipe'],
  });
  let waited = Number.NaN;
  child.stdio[3].resume();
  return new Promise((resolve, reject) => {
    child.on('error', reject);
    child.on('exit', (code) => {
      waited = performance.now() - started;
      if (code !== 0) reject(new Error(`git commit ended with ${code}`));
    });
    child.on('close', () => resolve({ waited, all: performance.now() - started }));
  });
}
