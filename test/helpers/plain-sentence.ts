import { expect } from 'vitest';
import type { Ran } from './repo.ts';

/** What a command that fails says on stderr: a sentence and the next step, never a stack or an excuse. Nothing on stdout. */
export function expectPlainFailure({ code, stdout, stderr }: Ran, says: RegExp): void {
  expect(stderr).toMatch(says);
  expectNoTrace(stderr);
  expect({ code, stdout, lines: stderr.trim().split('\n').length }).toEqual({ code: 1, stdout: '', lines: 2 });
}

/** No stack trace, no call for a bug report. */
export function expectNoTrace(stderr: string): void {
  expect(stderr).not.toMatch(/has a bug|please report|^\s+at .*:\d+|node:internal|TypeError|SqliteError/im);
}
