import { spawnSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { inject } from 'vitest';
import { messagesOf } from './api-request.ts';
import { createPerson, type Person } from './claude.ts';
import type { ClaudeVersion } from './claude-install.ts';
import type { ApiMessage } from './messages-api.ts';
import { type MockApi, startMockApi } from './mock-api.ts';
import type { Ran } from './repo.ts';

import { verified } from './workplace.ts';

/** Somebody with a real client, a repository in which cc-context is set up, and the mock of the Messages API. */
export interface Studio {
  api: MockApi;
  person: Person;
  /** Top of the repository, a real path. */
  dir: string;
  run(command: string, args: string[], cwd?: string): Ran;
  /** Runs a command of the installed package with `--json`; throws when it fails. */
  cc<T>(command: string, args: string[], cwd?: string): T;
  /** Changes a file and commits it. */
  commit(message?: string): Ran;
  /** Resumes a session with a prompt; answers with the messages that the model got before the prompt. */
  resume(session: string, prompt: string, cwd?: string): Promise<ApiMessage[]>;
  close(): Promise<void>;
}

export interface RestoredJson {
  sessions: { session_id: string; path: string }[];
  messages: number;
  reason: string;
  warnings: string[];
}

export async function openStudio(version: ClaudeVersion): Promise<Studio> {
  const api = await startMockApi();
  const person = await createPerson({ version, api });
  const dir = join(person.home, 'my repo_ü');
  mkdirSync(dir);
  const bin = inject('bin');
  let commits = 0;
  const run = (command: string, args: string[], cwd = dir): Ran => {
    const { status, stdout, stderr, error } = spawnSync(command, args, { cwd, env: person.env, encoding: 'utf8' });
    if (error) throw error;
    return { code: status ?? -1, stdout, stderr };
  };
  const must = (ran: Ran, what: string): Ran => {
    if (ran.code !== 0) throw new Error(`${what} ended with ${ran.code}: ${ran.stderr}`);
    return ran;
  };
  const commit = (message = `commit ${commits + 1}`) => {
    writeFileSync(join(dir, 'file.txt'), `${(commits += 1)}\n`);
    must(run('git', ['add', 'file.txt']), 'git add');
    return must(run('git', ['commit', '-m', message]), 'git commit');
  };
  must(run('git', ['init', '--quiet']), 'git init');
  must(run('git', ['commit', '--quiet', '--allow-empty', '-m', 'begin']), 'git commit');
  must(run(process.execPath, [join(bin, 'cc-init')]), 'cc-init');
  return {
    api,
    person,
    dir,
    run,
    commit,
    cc: (command, args, cwd) =>
      JSON.parse(
        must(run(process.execPath, [join(bin, `cc-${command}`), '--json', ...verified(command), ...args], cwd), `cc-${command}`)
          .stdout,
      ),
    async resume(session, prompt, cwd = dir) {
      const before = api.requests.length;
      await person.prompt(prompt, { cwd, resume: session });
      const request = api.requests.slice(before).find((one) => one.kind === 'conversation' && one.prompt === prompt);
      if (request === undefined) throw new Error(`the client never asked "${prompt}"`);
      const all = messagesOf(request);
      return all.slice(
        0,
        all.findLastIndex(
          (message) => message.role === 'user' && JSON.stringify(message.content).includes(JSON.stringify(prompt).slice(1, -1)),
        ),
      );
    },
    async close() {
      await person.close();
      await api.close();
    },
  };
}
