import { execFileSync } from 'node:child_process';
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { TestProject } from 'vitest/node';
import { setup as installClaudeVersions } from './claude-install.ts';

declare module 'vitest' {
  interface ProvidedContext {
    /** Folder of the installed package's commands. */
    bin: string;
  }
}

/** Packs the project, installs the tarball as a user would, and has the tests run what was installed. */
export default async function setup(project: TestProject): Promise<() => void> {
  const root = fileURLToPath(new URL('../..', import.meta.url));
  const home = mkdtempSync(join(tmpdir(), 'cc-package-'));
  const npm = (...args: string[]) => execFileSync('npm', args, { cwd: root, stdio: ['ignore', 'ignore', 'inherit'] });
  npm('pack', '--silent', '--pack-destination', home);
  const tarball = readdirSync(home).find((name) => name.endsWith('.tgz')) as string;
  // No install script of any dependency may have to run.
  npm(
    'install',
    '--silent',
    '--ignore-scripts',
    '--no-audit',
    '--no-fund',
    '--prefix',
    join(home, 'prefix'),
    join(home, tarball),
  );
  await installClaudeVersions();
  project.provide('bin', join(home, 'prefix', 'node_modules', '.bin'));
  return () => rmSync(home, { recursive: true, force: true });
}
