import { execFile } from 'node:child_process';
import { existsSync, readdirSync } from 'node:fs';
import { mkdir, mkdtemp, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

/** The published clients that the tests and the demo run: the newest that was measured, and an old one in plain JS. */
export const CLAUDE_VERSIONS = ['2.1.329', '2.0.76'] as const;
export type ClaudeVersion = (typeof CLAUDE_VERSIONS)[number];

const CACHE = fileURLToPath(new URL('../../node_modules/.cache/cc-context/claude-code/', import.meta.url));

/**
 * Installs one version of Claude Code from the npm registry under `node_modules/.cache`, unless it is there. Safe for several
 * processes at once: each installs into a folder of its own, and the first to rename it wins. Install scripts never run.
 * Throws what npm printed when it fails.
 */
export async function installClaude(version: ClaudeVersion): Promise<void> {
  const home = join(CACHE, version);
  if (existsSync(home)) return;
  await mkdir(CACHE, { recursive: true });
  const fresh = await mkdtemp(join(CACHE, `.${version}-`));
  try {
    await writeFile(join(fresh, 'package.json'), '{"private":true}\n');
    const quiet = ['--ignore-scripts', '--no-audit', '--no-fund', '--no-package-lock', '--prefer-offline', '--loglevel=error'];
    const spec = `@anthropic-ai/claude-code@${version}`;
    await promisify(execFile)('npm', ['install', '--prefix', fresh, '--include=optional', ...quiet, spec], { cwd: fresh });
    await rename(fresh, home).catch((error: unknown) => {
      if (!existsSync(home)) throw error;
    });
  } finally {
    await rm(fresh, { recursive: true, force: true });
  }
}

/**
 * The command, without arguments, that starts an installed version: the native binary of the platform's optional package
 * (`bin/claude.exe` of the main package is only a placeholder until its install script has run), or `cli.js` under this node
 * for the versions that have no native binary. Throws when the version is not installed.
 */
export function claudeCommand(version: ClaudeVersion): string[] {
  const scope = join(CACHE, version, 'node_modules', '@anthropic-ai');
  const native = readdirSync(scope).find((name) => name.startsWith('claude-code-'));
  return native === undefined ? [process.execPath, join(scope, 'claude-code', 'cli.js')] : [join(scope, native, 'claude')];
}

/** Vitest's global setup: both versions are there before the first test runs. */
export async function setup(): Promise<void> {
  for (const version of CLAUDE_VERSIONS) await installClaude(version);
}
