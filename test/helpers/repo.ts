import { spawnSync } from 'node:child_process';
import { chmodSync, mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';

/** What a command left behind. */
export interface Ran {
  code: number;
  stdout: string;
  stderr: string;
}

/** A real repository in a directory of its own, with a home of its own: nothing of the machine's configuration is read. */
export interface TestRepo {
  /** Top of the work tree, a real path. */
  dir: string;
  home: string;
  /** The whole environment of its commands. */
  env: NodeJS.ProcessEnv;
  /** Runs a program in it (or in another directory); never throws on an exit code. */
  run(command: string, args: string[], options?: { cwd?: string; env?: NodeJS.ProcessEnv; input?: string }): Ran;
  /** Runs git and returns its stdout, last newline removed. Throws when git fails. */
  git(...args: string[]): string;
  /** Writes a file below the top, with its folders. Returns its path. */
  write(path: string, content: string | Buffer, mode?: number): string;
  /** Changes a file and commits it. Returns everything the commit printed. Throws when it fails. */
  commit(message?: string, env?: NodeJS.ProcessEnv): Ran;
  [Symbol.dispose](): void;
}

/** Makes a repository with the branch `main` and no commit. `using repo = createRepo()` removes it at the end of the block. */
export function createRepo({ name = 'repo' }: { name?: string } = {}): TestRepo {
  const base = realpathSync(mkdtempSync(join(tmpdir(), 'cc-test-')));
  const [dir, home] = [join(base, name), join(base, 'home')];
  for (const made of [dir, home]) mkdirSync(made, { recursive: true });
  const env = isolatedEnv(home);
  let commits = 0;

  const repo: TestRepo = {
    dir,
    home,
    env,
    run(command, args, { cwd = dir, env: more = {}, input = '' } = {}) {
      const { status, stdout, stderr, error } = spawnSync(command, args, {
        cwd,
        env: { ...env, ...more },
        input,
        encoding: 'utf8',
        maxBuffer: Number.POSITIVE_INFINITY,
      });
      if (error) throw error;
      return { code: status ?? -1, stdout, stderr };
    },
    git(...args) {
      const ran = repo.run('git', args);
      if (ran.code !== 0) throw new Error(`git ${args.join(' ')} ended with ${ran.code}: ${ran.stderr}`);
      return ran.stdout.replace(/\n$/, '');
    },
    write(path, content, mode) {
      const file = join(dir, path);
      mkdirSync(dirname(file), { recursive: true });
      writeFileSync(file, content);
      if (mode !== undefined) chmodSync(file, mode);
      return file;
    },
    commit(message = `commit ${commits + 1}`, env = {}) {
      commits += 1;
      repo.write('file.txt', `${commits}\n`);
      repo.git('add', 'file.txt');
      const ran = repo.run('git', ['commit', '-m', message], { env });
      if (ran.code !== 0) throw new Error(`git commit ended with ${ran.code}: ${ran.stderr}`);
      return ran;
    },
    [Symbol.dispose]() {
      rmSync(base, { recursive: true, force: true, maxRetries: 20, retryDelay: 50 }); // a detached hook may still be writing
    },
  };
  repo.git('init', '--quiet', '--initial-branch=main');
  return repo;
}

/** An environment with this home, a known author, and nothing that Git, Claude Code or cc-context would read from this one. */
export function isolatedEnv(home: string): NodeJS.ProcessEnv {
  writeFileSync(join(home, '.gitconfig'), '[user]\n\tname = Alice\n\temail = alice@example.com\n');
  return {
    PATH: process.env['PATH'],
    HOME: home,
    GIT_CONFIG_GLOBAL: join(home, '.gitconfig'),
    GIT_CONFIG_NOSYSTEM: '1',
    LC_ALL: 'C.UTF-8',
    TZ: 'UTC',
  };
}
