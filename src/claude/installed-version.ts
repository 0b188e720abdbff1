import { spawnSync } from 'node:child_process';

/** The first version that shortens long names of project directories (2.1.45 does not; there was no 2.1.46). */
const SHORTENS = [2, 1, 47];

/** What the `claude` in PATH says of itself (some tenths of a second); null where there is none. */
export function installedVersion(): string | null {
  const { stdout } = spawnSync('claude', ['--version'], {
    encoding: 'utf8',
    timeout: 10_000,
    killSignal: 'SIGKILL',
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  return /^\d+\.\d+\.\d+/.exec(stdout ?? '')?.[0] ?? null;
}

/** Whether a version shortens long names; one that is not known counts as a new one. */
export function shortensNames(version: string | null): boolean {
  const numbers = version?.split('.').map(Number) ?? SHORTENS;
  const differs = SHORTENS.findIndex((number, index) => number !== numbers[index]);
  return differs < 0 || (numbers[differs] ?? 0) > (SHORTENS[differs] as number);
}
