import type { BlobStore } from '../storage/blob-store.ts';
import { concurrencyChecks } from './concurrency.ts';
import { brokenCheck } from './errors.ts';
import { type Check, judge } from './judged.ts';
import { keyChecks } from './keys.ts';
import { lifetimeChecks } from './lifetime.ts';
import type { Open } from './opened.ts';
import { optionalChecks } from './optional.ts';
import { valueChecks } from './values.ts';

export type { Open, Opened } from './opened.ts';

/** The part of a test runner that is used: `node:test` and `vitest` are such modules. */
export interface TestRunner {
  describe(name: string, body: () => void): unknown;
  /** @param options `timeout` in milliseconds. */
  test(name: string, options: { timeout: number }, body: () => Promise<void>): unknown;
}

export interface ConformanceOptions {
  /**
   * Stores of this kind that cannot be used, by what is wrong with them (no such server, no such folder, no access): to open one may fail, or
   * every call has to.
   */
  broken?: Record<string, () => BlobStore | Promise<BlobStore>>;
  /** Credentials and the like that the tested stores use: no URL and no error may contain them. */
  secrets?: string[];
  /** Milliseconds for one check, 120,000 by default; a twelfth of it for a call that must not hang. */
  patience?: number;
}

const CHECKS: Check[] = [...valueChecks, ...keyChecks, ...optionalChecks, ...lifetimeChecks, ...concurrencyChecks];

/**
 * Declares the tests that every adapter has to pass; docs/adapters.md explains them.
 * @param open opens a new, empty store for each test, never one that holds anything already.
 * @param runner the module `node:test` or `vitest`.
 */
export function conforms(name: string, open: Open, runner: TestRunner, options: ConformanceOptions = {}): void {
  const { broken = {}, secrets = [], patience = 120_000 } = options;
  const given = { secrets, patience: { check: patience, call: patience / 12 } };
  runner.describe(`${name} is a BlobStore`, () => {
    const declare = (check: string, body: () => Promise<void>) => void runner.test(check, { timeout: 2 * patience }, body);
    for (const [check, run] of CHECKS) declare(check, () => judge(run, { ...given, open }));
    for (const [situation, openBroken] of Object.entries(broken))
      declare(`${situation}: every call says so, and none hangs`, () => brokenCheck(openBroken, given));
  });
}
