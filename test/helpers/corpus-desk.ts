import { cpSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { projectName } from '../../src/claude/paths.ts';
import { messagesOf } from './api-request.ts';
import type { ClaudeVersion } from './claude-install.ts';
import { CLAUDE_VERSIONS } from './claude-install.ts';
import { answerFirstQuestions, type ClaudeTui } from './claude-tui.ts';
import { type CorpusCase, type Member, ownUuid } from './corpus.ts';
import type { ApiMessage } from './messages-api.ts';
import { openStudio, type RestoredJson, type Studio } from './studio.ts';

/** What a client sent when it resumed a session. */
export interface Sent {
  messages: ApiMessage[];
  /** Broken rules of the Messages API, in any request. */
  violations: string[];
}

/** Where cases of the corpus are captured, restored and resumed, one after the other. */
export interface CorpusDesk {
  /** Captures the sessions of a case with a commit and restores its context; every client can resume what was restored. */
  restore(one: CorpusCase): RestoredJson;
  /** Resumes a session that was restored, with a question; throws when the client refuses. */
  resume(version: ClaudeVersion, session_id: string): Promise<Sent>;
  /** Resumes an original in the place of the restored ones. */
  resumeOriginal(version: ClaudeVersion, member: Member): Promise<Sent>;
  /** Resumes a session that was restored in the TUI. */
  tui(version: ClaudeVersion, session_id: string): Promise<ClaudeTui>;
  close(): Promise<void>;
}

const QUESTION = 'What is still to be done after all this?';

/**
 * Opens a desk: a repository with cc-context, and a linked worktree of it, in which sessions are restored. Because that is another
 * directory, one session alone is rebuilt too, instead of being copied. Nothing is redacted. Each client has a home of its own.
 */
export async function openDesk(): Promise<CorpusDesk> {
  const studios = new Map<ClaudeVersion, Studio>();
  for (const version of CLAUDE_VERSIONS) studios.set(version, await openStudio(version));
  const of = (version: ClaudeVersion): Studio => studios.get(version) as Studio;
  const [first, ...others] = CLAUDE_VERSIONS;
  const { cc, commit, dir, person, run } = of(first);
  const elsewhere = join(person.home, 'elsewhere');
  const projectIn = (version: ClaudeVersion, directory: string): string =>
    join(of(version).person.home, '.claude', 'projects', projectName(directory));
  const git = (...args: string[]): string => {
    const { code, stdout, stderr } = run('git', args);
    if (code !== 0) throw new Error(`git ${args[0]} ended with ${code}: ${stderr}`);
    return stdout.trim();
  };
  git('config', 'cc-context.redact', 'false');
  git('worktree', 'add', '--quiet', '--detach', elsewhere);
  person.env['CC_CONTEXT_TIMEOUT'] = '60'; // a slow machine is not what this is about
  // what 2.0.76 (10 MB of plain JS) compiled once need not be compiled at every start
  for (const version of others) of(version).person.env['NODE_COMPILE_CACHE'] = join(of(version).person.home, 'compiled');
  // 2.1.329 takes these answers over when it is started first, with or without a TUI, and never looks for them again.
  for (const { person: somebody } of studios.values())
    await answerFirstQuestions(somebody.home, elsewhere, somebody.env['ANTHROPIC_API_KEY'] ?? '');

  const resume = async (version: ClaudeVersion, session_id: string): Promise<Sent> => {
    const { api, person: somebody } = of(version);
    await somebody.prompt(QUESTION, { cwd: elsewhere, resume: session_id });
    const requests = api.requests.splice(0);
    const [request, ...more] = requests.filter(({ kind, prompt }) => kind === 'conversation' && prompt === QUESTION);
    if (request === undefined || more.length > 0) throw new Error(`${version} asked ${request ? 'more than once' : 'nothing'}`);
    return { messages: messagesOf(request), violations: requests.flatMap(({ violations }) => violations) };
  };

  return {
    restore({ members }) {
      const captured = projectIn(first, dir);
      mkdirSync(captured, { recursive: true });
      for (const member of members) writeFileSync(join(captured, `${member.session_id}.jsonl`), transcriptOf(member, dir));
      commit();
      rmSync(captured, { recursive: true }); // the next commit is about others
      for (const version of CLAUDE_VERSIONS) rmSync(projectIn(version, elsewhere), { recursive: true, force: true });
      const restored = cc<RestoredJson>('restore', [git('rev-parse', 'HEAD'), '--yes'], elsewhere);
      for (const version of others) cpSync(projectIn(first, elsewhere), projectIn(version, elsewhere), { recursive: true });
      return restored;
    },
    resume,
    resumeOriginal(version, member) {
      writeFileSync(join(projectIn(version, elsewhere), `${member.session_id}.jsonl`), transcriptOf(member, elsewhere));
      return resume(version, member.session_id);
    },
    tui: (version, session_id) => of(version).person.tui(elsewhere, ['--resume', session_id]),
    async close() {
      // the first one's home is where the others' terminals are
      for (const studio of [...studios.values()].toReversed()) await studio.close();
    },
  };
}

/** The transcript of a member as its client would have written it in this directory: each line as it is but for directory, time and ids. */
function transcriptOf(member: Member, cwd: string): string {
  const lines = readFileSync(member.session.path, 'utf8').split('\n');
  return lines.map((line) => moved(line, member, cwd)).join('\n');
}

/** A line that is no record stays as it is. */
function moved(line: string, member: Member, cwd: string): string {
  const record = parsed(line);
  if (record === null) return line;
  const at = Date.parse(String(record['timestamp']));
  if ('cwd' in record) record['cwd'] = cwd;
  if (member.shift !== 0 && !Number.isNaN(at)) record['timestamp'] = new Date(at + member.shift).toISOString();
  for (const field of ['uuid', 'parentUuid']) if (field in record) record[field] = ownUuid(member, record[field]);
  return JSON.stringify(record);
}

function parsed(line: string): Record<string, unknown> | null {
  try {
    const value: unknown = JSON.parse(line);
    return typeof value === 'object' ? (value as Record<string, unknown> | null) : null;
  } catch {
    return null;
  }
}
