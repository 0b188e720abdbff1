import { spawnSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { TestRepo } from './repo.ts';

/** False where strace is missing or may not trace (some containers). */
export const canTrace = spawnSync('strace', ['-f', '-o', '/dev/null', 'true']).status === 0;

/** Has `pre-commit` run its node under strace with these options, until `end`: system calls fail, or kill it, at a chosen moment. */
export function traceHook(repo: TestRepo, options: string[]): { end(): void } {
  const shared = join(repo.dir, '.git/cc-context/hooks/shared.sh');
  const before = readFileSync(shared, 'utf8');
  const quoted = options.map((option) => `'${option}'`).join(' ');
  const wrapper = repo.write(
    '../home/traced-node',
    `#!/bin/sh\n[ "$2" = pre-commit ] || exec '${process.execPath}' "$@"\nexec strace -f -qq -o /dev/null ${quoted} '${process.execPath}' "$@"\n`,
    0o755,
  );
  writeFileSync(shared, before.replace(/^node=.*$/m, `node='${wrapper}'`));
  return { end: () => writeFileSync(shared, before) };
}
