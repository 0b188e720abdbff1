/** `npm test`: types, style, then every test against the packed and installed package. */
import { spawnSync } from 'node:child_process';

const steps = [
  ['tsc', '--noEmit'],
  ['biome', 'check', '.'],
  ['vitest', 'run', ...process.argv.slice(2)],
];
for (const [command, ...args] of steps) {
  const { status } = spawnSync(command, args, { stdio: 'inherit' });
  if (status !== 0) process.exit(status ?? 1);
}
