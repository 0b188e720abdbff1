import { randomUUID } from 'node:crypto';
import { appendFileSync, mkdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { inject } from 'vitest';
import { projectName } from '../../src/claude/paths.ts';
import { createRepo, type Ran, type TestRepo } from './repo.ts';

/** A session as Claude Code writes it, made by hand: for the situations of Git, where no real client is needed. */
export interface WrittenSession {
  id: string;
  path: string;
  /** Adds a prompt and a reply (2 messages). */
  say(prompt: string, reply?: string): void;
  /** Adds a tool call, without its result when that is null (2 messages, or 1). */
  call(command: string, result: string | null): void;
  /** Adds bytes as they are. */
  append(bytes: string | Buffer): void;
}

/** A repository in which cc-context is set up. */
export interface Workplace extends TestRepo {
  /** Folder of the installed package's commands. */
  bin: string;
  /** Runs a command of the installed package: `cc('list', '--json')`. Every restore accounts for what was captured. */
  cc(command: string, ...args: string[]): Ran;
  /** The same with `--json`, parsed. Throws when it fails. */
  json<T>(command: string, ...args: string[]): T;
  /** Starts a session whose records name this directory (the top by default). */
  session(cwd?: string): WrittenSession;
  /** The ids of the contexts that a commit owns, by Git alone. */
  contexts(commit?: string, cwd?: string): string[];
  /** `git status --porcelain`, empty when index and work tree are clean. */
  dirt(cwd?: string): string;
}

/** Makes a repository with one commit (unless `begin` is false) and runs the installed `cc-init` in it (unless `init` is). */
export function createWorkplace(options: { name?: string; begin?: boolean; init?: boolean } = {}): Workplace {
  const repo = createRepo(options);
  const bin = inject('bin');
  const env = { ...repo.env, CC_CONTEXT_TIMEOUT: '60' }; // a slow machine is not what these tests are about
  Object.assign(repo.env, env);
  const cc = (command: string, ...args: string[]) =>
    repo.run(process.execPath, [join(bin, command === 'cc-context' ? command : `cc-${command}`), ...verified(command), ...args]);
  const workplace: Workplace = {
    ...repo,
    bin,
    [Symbol.dispose]: () => repo[Symbol.dispose](),
    cc,
    json(command, ...args) {
      const ran = cc(command, '--json', ...args);
      if (ran.code !== 0) throw new Error(`cc-${command} ended with ${ran.code}: ${ran.stderr}`);
      return JSON.parse(ran.stdout);
    },
    session: (cwd = repo.dir) => writeSession(repo.home, cwd),
    contexts(commit = 'HEAD', cwd = repo.dir) {
      const added = repo.git(
        '-C',
        cwd,
        'diff-tree',
        '--root',
        '-r',
        '-c',
        '--no-commit-id',
        '--name-only',
        '--diff-filter=A',
        commit,
        '--',
        '.cc-snapshots',
      );
      return added.split('\n').flatMap((path) => /ctx-[0-9a-f]{64}/.exec(path)?.[0] ?? []);
    },
    dirt: (cwd = repo.dir) => repo.run('git', ['status', '--porcelain'], { cwd }).stdout,
  };
  if (options.begin !== false) repo.git('commit', '--quiet', '--allow-empty', '-m', 'begin');
  if (options.init !== false) {
    const ran = cc('init');
    if (ran.code !== 0) throw new Error(`cc-init ended with ${ran.code}: ${ran.stderr}`);
  }
  return workplace;
}

/** What a restore in the tests always does: with a difference that nothing explains it fails. */
export function verified(command: string): string[] {
  return command === 'restore' ? ['--verify'] : [];
}

let latest = 0;

/** Now, and later than any moment before: the order of prompts is that of time, also on a quick machine. */
function nextMoment(): string {
  latest = Math.max(Date.now(), latest + 1);
  return new Date(latest).toISOString();
}

/** Starts a session in a home. */
export function writeSession(home: string, cwd: string, id: string = randomUUID()): WrittenSession {
  const path = join(home, '.claude', 'projects', projectName(cwd), `${id}.jsonl`);
  mkdirSync(dirname(path), { recursive: true });
  let parentUuid: string | null = null;
  const append = (bytes: string | Buffer) => appendFileSync(path, bytes, { mode: 0o600 });
  const record = (type: 'user' | 'assistant', message: object) => {
    const uuid = randomUUID();
    const timestamp = nextMoment();
    append(
      `${JSON.stringify({ parentUuid, isSidechain: false, userType: 'external', cwd, sessionId: id, version: '2.1.329', type, message, uuid, timestamp })}\n`,
    );
    parentUuid = uuid;
  };
  const reply = (content: object[]) =>
    record('assistant', { id: `msg_${randomUUID()}`, type: 'message', role: 'assistant', model: 'claude-sonnet-4-5', content });
  return {
    id,
    path,
    append,
    say(prompt, answer = `Answer to: ${prompt}`) {
      record('user', { role: 'user', content: prompt });
      reply([{ type: 'text', text: answer }]);
    },
    call(command, result) {
      const tool = `toolu_${randomUUID().replaceAll('-', '')}`;
      reply([{ type: 'tool_use', id: tool, name: 'Bash', input: { command } }]);
      if (result !== null)
        record('user', { role: 'user', content: [{ type: 'tool_result', tool_use_id: tool, content: result }] });
    },
  };
}
