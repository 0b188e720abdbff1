import { spawn } from 'node:child_process';
import type { Writable } from 'node:stream';
import { UserError } from '../errors.ts';

export interface GitOptions {
  /** Directory to run in; the process's own by default. */
  cwd?: string;
  /** Standard input, or who writes it. */
  input?: Buffer | string | ((stdin: Writable) => void);
  /** Called with each piece of standard output as it comes. */
  onOutput?: (piece: Buffer) => void;
  /** Variables added to (or, when undefined, taken out of) this process's environment. */
  env?: Record<string, string | undefined>;
}

export interface GitResult {
  code: number;
  stdout: Buffer;
  stderr: string;
}

/** Our pathspecs mean what they say, whatever a person has set for their own. */
const OWN_PATHSPECS = {
  GIT_LITERAL_PATHSPECS: undefined,
  GIT_GLOB_PATHSPECS: undefined,
  GIT_NOGLOB_PATHSPECS: undefined,
  GIT_ICASE_PATHSPECS: undefined,
};

/** What the shim of a hook asked Git while node started, by the words of the command. */
const answers = new Map<string, GitResult>();

/**
 * Takes over what a shim asked Git (`ask_git` in hooks/shared.sh): for each command its words, what it wrote, and `exit <code>`, each
 * ended by a NUL. Whoever runs that command first gets the answer.
 */
export function takeAnswers(bytes: Buffer): void {
  let words: string | null = null;
  let written: string[] = [];
  for (const field of bytes.toString('latin1').split('\0')) {
    const exit = /^exit (\d+)$/.exec(field);
    if (words === null) words = field;
    else if (exit === null) written.push(field);
    else {
      answers.set(words, { code: Number(exit[1]), stdout: Buffer.from(written.join('\0'), 'latin1'), stderr: '' });
      words = null;
      written = [];
    }
  }
}

/**
 * Runs git: the one door to it. Never throws on an exit code. The environment is passed on, `GIT_DIR` and `GIT_INDEX_FILE` included: inside
 * a hook they name the repository and the index that the commit is made from.
 * @throws UserError when git is not there.
 */
export async function git(args: string[], options: GitOptions = {}): Promise<GitResult> {
  const words = args.join(' ');
  const answer = options.env === undefined ? answers.get(words) : undefined;
  answers.delete(words);
  // Git's words about a failure were not kept: it is asked again.
  return answer !== undefined && answer.code <= 1 ? answer : await run(args, options);
}

function run(args: string[], { cwd, input, onOutput, env }: GitOptions): Promise<GitResult> {
  return new Promise((resolve, reject) => {
    const child = spawn('git', args, {
      ...(cwd === undefined ? {} : { cwd }),
      // LC_ALL=C: messages that we quote are in one language; GIT_OPTIONAL_LOCKS=0: reading never takes index.lock from the person.
      env: { ...process.env, ...OWN_PATHSPECS, LC_ALL: 'C', GIT_OPTIONAL_LOCKS: '0', ...env },
      stdio: [input === undefined ? 'ignore' : 'pipe', 'pipe', 'pipe'],
    });
    const out: Buffer[] = [];
    const err: Buffer[] = [];
    child.stdout?.on('data', (data: Buffer) => {
      out.push(data);
      onOutput?.(data);
    });
    child.stderr?.on('data', (data: Buffer) => err.push(data));
    child.on('error', (cause: NodeJS.ErrnoException) =>
      reject(
        cause.code === 'ENOENT'
          ? new UserError(
              'git was not found, or the directory does not exist.',
              'Install git, or check the path given with -C.',
              { cause },
            )
          : cause,
      ),
    );
    child.on('close', (code) =>
      resolve({ code: code ?? 128, stdout: Buffer.concat(out), stderr: Buffer.concat(err).toString('utf8').trim() }),
    );
    if (input !== undefined) {
      child.stdin?.on('error', () => {}); // git ended early: its exit code says why
      if (typeof input === 'function') input(child.stdin as Writable);
      else child.stdin?.end(input);
    }
  });
}

/**
 * Runs git for its text output, trailing newline removed.
 * @throws UserError with git's own words when it fails.
 */
export async function gitText(args: string[], options?: GitOptions): Promise<string> {
  const { code, stdout, stderr } = await git(args, options);
  if (code !== 0) throw new UserError(`git ${args[0]} failed: ${stderr.split('\n')[0] || `exit code ${code}`}`);
  return stdout.toString('utf8').replace(/\n$/, '');
}
