import { existsSync, lstatSync, mkdirSync, readdirSync, readFileSync, readlinkSync, writeFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { vi } from 'vitest';
import { type InitResult, init } from '../../src/commands/init.ts';
import { checkHooks, type HookCheck } from '../../src/git/hooks/check.ts';
import type { ShimSource } from '../../src/git/hooks/shims.ts';
import { openRepository } from '../../src/git/repository.ts';
import type { TestRepo } from './repo.ts';

/** A repository set up with hooks whose node runs a recorder: it notes the arguments it was called with, without the names of commits and what its input is. */
export interface HookedRepo {
  shims: ShimSource;
  init(options?: { uninstall?: boolean; cwd?: string }): Promise<InitResult>;
  check(cwd?: string): Promise<HookCheck>;
  /** The calls so far, one string of arguments each. */
  calls(): string[];
  /** Waits for a call that a detached hook makes. */
  called(call: string): Promise<void>;
  forget(): void;
}

/** Prepares a repository's hooks; `init` installs them. */
export function hooked(repo: TestRepo): HookedRepo {
  const record = join(repo.home, 'calls');
  const entry = join(repo.home, 'package', 'dist', 'hook.js');
  mkdirSync(join(entry, '..'), { recursive: true });
  writeFileSync(
    entry,
    `require('fs').appendFileSync(${JSON.stringify(record)}, process.argv.slice(2).filter((arg) => !/^([0-9a-f]{40}|answers$)/.test(arg)).join(' ') + '\\n')\nconsole.error('recorded')\n`,
  );
  writeFileSync(record, '');
  const shims = { templates: join(import.meta.dirname, '../../hooks'), node: process.execPath, entry };
  const calls = () => readFileSync(record, 'utf8').split('\n').filter(Boolean);
  return {
    shims,
    init: (options) => as(repo, () => init({ cwd: repo.dir, shims, ...options })),
    check: (cwd = repo.dir) => as(repo, async () => checkHooks(await openRepository(cwd), repo.env)),
    calls,
    called: (call) => vi.waitUntil(() => calls().includes(call), { timeout: 20_000, interval: 10 }).then(() => {}),
    forget: () => writeFileSync(record, ''),
  };
}

/** Runs what reads this process's environment as a process of the repository would. */
async function as<T>(repo: TestRepo, work: () => Promise<T>): Promise<T> {
  const own = { ...process.env };
  replaceEnv(repo.env);
  try {
    return await work();
  } finally {
    replaceEnv(own);
  }
}

function replaceEnv(env: NodeJS.ProcessEnv): void {
  for (const name of Object.keys(process.env)) delete process.env[name];
  Object.assign(process.env, env);
}

/** Everything below a directory: path → type, mode and content. Two equal trees are the same byte for byte. */
export function tree(directory: string, skip: string[] = []): Record<string, string> {
  const found: Record<string, string> = {};
  const visit = (path: string) => {
    const name = relative(directory, path);
    if (skip.includes(name)) return;
    const stat = lstatSync(path);
    const mode = (stat.mode & 0o7777).toString(8);
    if (stat.isSymbolicLink()) found[name] = `link ${readlinkSync(path)}`;
    else if (stat.isFile()) found[name] = `${mode} ${readFileSync(path, 'latin1')}`;
    else {
      found[name] = `directory ${mode}`;
      for (const entry of readdirSync(path).sort()) visit(join(path, entry));
    }
  };
  if (existsSync(directory)) visit(directory);
  return found;
}
