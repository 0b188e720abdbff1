import { homedir } from 'node:os';
import { join } from 'node:path';
import { readGitConfig } from './git-config.ts';

/** What a person has set: the environment first, then `git config cc-context.*`. */
export interface Settings {
  /** Replace secrets before anything is stored. */
  redact: boolean;
  /** How long a commit may wait for the capture, milliseconds. */
  timeout: number;
  /** Settings that were not understood, one sentence each. */
  warnings: string[];
}

const DEFAULT_TIMEOUT_SECONDS = 5;

/** Reads the settings that hold in a repository. A value that is not understood counts as not set, with a warning. */
export async function readSettings(cwd: string, env: NodeJS.ProcessEnv = process.env): Promise<Settings> {
  const configured = await readGitConfig(cwd);
  const warnings: string[] = [];
  const value = (name: string) => env[`CC_CONTEXT_${name.toUpperCase()}`] ?? configured.get(`cc-context.${name}`);
  return { redact: readRedact(value('redact'), warnings), timeout: readTimeout(value('timeout'), warnings), warnings };
}

function readRedact(value: string | undefined, warnings: string[]): boolean {
  if (value === undefined || /^(true|yes|on|1)$/i.test(value)) return true;
  if (/^(false|no|off|0)$/i.test(value)) return false;
  warnings.push(`cc-context.redact is "${value}", which is neither true nor false: secrets are redacted.`);
  return true;
}

function readTimeout(value: string | undefined, warnings: string[]): number {
  if (value === undefined) return DEFAULT_TIMEOUT_SECONDS * 1000;
  const seconds = Number(value);
  if (seconds > 0 && seconds <= 600) return seconds * 1000;
  warnings.push(`cc-context.timeout is "${value}", which is no number of seconds up to 600: ${DEFAULT_TIMEOUT_SECONDS} is used.`);
  return DEFAULT_TIMEOUT_SECONDS * 1000;
}

/**
 * The folder of the embedded store: `CC_CONTEXT_HOME`, else `cc-context` in the platform's data directory (XDG_DATA_HOME or
 * `~/.local/share`; `~/Library/Application Support`; `%LOCALAPPDATA%`). Null when there is no home.
 */
export function dataDir(env: NodeJS.ProcessEnv = process.env): string | null {
  if (env['CC_CONTEXT_HOME']) return env['CC_CONTEXT_HOME'];
  const home = env['HOME'] || safeHome();
  if (process.platform === 'win32' && env['LOCALAPPDATA']) return join(env['LOCALAPPDATA'], 'cc-context');
  if (env['XDG_DATA_HOME']) return join(env['XDG_DATA_HOME'], 'cc-context');
  if (home === null) return null;
  if (process.platform === 'darwin') return join(home, 'Library', 'Application Support', 'cc-context');
  return join(home, '.local', 'share', 'cc-context');
}

function safeHome(): string | null {
  try {
    return homedir() || null;
  } catch {
    return null; // os.homedir() throws where the user has no entry and no HOME
  }
}
