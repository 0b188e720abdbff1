import type { ChildProcess } from 'node:child_process';
import { spawn } from 'node:child_process';
import { existsSync, statSync } from 'node:fs';
import { mkdir, mkdtemp, readdir, realpath, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { text } from 'node:stream/consumers';
import type { ClaudeVersion } from './claude-install.ts';
import { claudeCommand } from './claude-install.ts';
import type { ClaudeTui } from './claude-tui.ts';
import { answerFirstQuestions, claudeTui } from './claude-tui.ts';
import type { MockApi } from './mock-api.ts';
import type { Terminal } from './terminal.ts';
import { killGroup, openTerminal } from './terminal.ts';

/** How a command ended. */
export interface Result {
  code: number | null;
  stdout: string;
  stderr: string;
}

export interface RunOptions {
  cwd: string;
  /** Standard input; none by default. */
  input?: string;
  env?: Record<string, string>;
}

/** Somebody who uses Claude Code: a home directory, an account, one version of the client. */
export interface Person {
  version: ClaudeVersion;
  /** Isolated home directory; transcripts are under `.claude/projects`. */
  home: string;
  /** The whole environment of this person's processes, for commands that are run beside the client. */
  env: Record<string, string>;
  api: MockApi;
  /** Runs the client with arguments. */
  run(args: string[], options: RunOptions): Promise<Result>;
  /** `claude -p` with all permissions; answers with the session and the text. Throws when the client fails. */
  prompt(prompt: string, options: PromptOptions): Promise<{ session_id: string; result: string }>;
  /** The transcripts of a directory, absolute: without subagents, and without the empty files that 2.0.76 leaves on resume. */
  sessions(cwd: string): Promise<string[]>;
  /** Starts the TUI with all permissions and waits until it takes input. */
  tui(cwd: string, args?: string[]): Promise<ClaudeTui>;
  /** Ends all processes and removes the home directory. */
  close(): Promise<void>;
}

export interface PromptOptions extends RunOptions {
  /** Session to continue, null for a new one. */
  resume?: string | null;
  /** Further arguments. */
  extra?: string[];
}

const API_KEY = 'sk-ant-dummy-key-of-the-mock-api';

export interface PersonOptions {
  version: ClaudeVersion;
  api: MockApi;
  /** Home directory of another person: the same one with another version. It is not removed at the end. Default: a new one. */
  home?: string;
  /** Directories that come first in PATH. */
  bin?: string[];
  /** Name in Git; Ada by default. */
  name?: string;
}

/**
 * Makes a person. Nothing of the machine's own Claude Code is read or written: apart from PATH the environment holds only what
 * is listed here.
 */
export async function createPerson(options: PersonOptions): Promise<Person> {
  const { version, api, bin = [], name = 'Ada' } = options;
  const home = options.home ?? (await realpath(await mkdtemp(join(tmpdir(), 'cc-'))));
  const env: Record<string, string> = {
    PATH: [...bin, dirname(process.execPath), process.env['PATH'] ?? ''].join(delimiter),
    HOME: home,
    TMPDIR: join(home, 'tmp'),
    SHELL: '/bin/bash',
    LANG: 'C.UTF-8',
    TERM: 'xterm-256color',
    ANTHROPIC_BASE_URL: api.url,
    ANTHROPIC_API_KEY: API_KEY,
    CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
    CLAUDE_CODE_DISABLE_OFFICIAL_MARKETPLACE_AUTOINSTALL: '1',
    DISABLE_AUTOUPDATER: '1',
    IS_SANDBOX: '1', // lets root use --dangerously-skip-permissions
  };
  await mkdir(join(home, 'tmp'), { recursive: true });
  const git = ['[user]', `name = ${name}`, `email = ${name.toLowerCase()}@example.com`, '[init]', 'defaultBranch = main', ''];
  await writeFile(join(home, '.gitconfig'), git.join('\n'));
  const running = new Set<ChildProcess>();
  const terminals: Terminal[] = [];

  const run = async (args: string[], { cwd, input = '', env: more = {} }: RunOptions): Promise<Result> => {
    const [command = '', ...first] = claudeCommand(version);
    // detached: a process group of its own, which close() can end as a whole
    const child = spawn(command, [...first, ...args], { cwd, env: { ...env, ...more }, detached: true });
    const ended = new Promise<number | null>((resolve, reject) => child.on('error', reject).on('close', resolve));
    running.add(child);
    child.stdin.on('error', () => {}).end(input); // a client that ends early leaves its input unread
    try {
      const [code, stdout, stderr] = await Promise.all([ended, text(child.stdout), text(child.stderr)]);
      return { code, stdout, stderr };
    } finally {
      running.delete(child);
    }
  };

  return {
    version,
    home,
    env,
    api,
    run,
    async prompt(prompt, { resume = null, extra = [], ...more }) {
      const args = ['-p', prompt, '--dangerously-skip-permissions', '--output-format', 'json', ...extra];
      const { code, stdout, stderr } = await run(resume === null ? args : [...args, '--resume', resume], more);
      if (code !== 0) throw new Error(`claude ${version} ended with ${code}: ${stderr}${stdout}`);
      return JSON.parse(stdout);
    },
    async sessions(cwd) {
      const directory = join(home, '.claude', 'projects', (await realpath(cwd)).replaceAll(/[^A-Za-z0-9]/g, '-'));
      const names = existsSync(directory) ? await readdir(directory) : [];
      const paths = names.filter((entry) => /^[0-9a-f-]{36}\.jsonl$/.test(entry)).map((entry) => join(directory, entry));
      return paths.filter((path) => statSync(path).size > 0);
    },
    async tui(cwd, args = []) {
      await answerFirstQuestions(home, await realpath(cwd), API_KEY);
      const command = [...claudeCommand(version), '--dangerously-skip-permissions', ...args];
      const terminal = await openTerminal(join(home, `tmux-${version}-${terminals.length}`), command, { cwd, env });
      terminals.push(terminal);
      return claudeTui(terminal);
    },
    async close() {
      for (const terminal of terminals) await terminal.close();
      for (const { pid } of running) if (pid !== undefined) killGroup(pid);
      if (options.home === undefined) await rm(home, { recursive: true, force: true, maxRetries: 5 });
    },
  };
}
