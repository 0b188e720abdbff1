import { type ConformanceOptions, conforms, type Open, type TestRunner } from '../../src/testing/index.ts';

/** Runs the conformance suite, or one check of it, and gives what each check that ran failed with; null where it passed. */
export async function outcomes(open: Open, options: ConformanceOptions = {}, only?: string): Promise<Map<string, unknown>> {
  const declared: [name: string, body: () => Promise<void>][] = [];
  const runner: TestRunner = {
    describe: (_, body) => body(),
    test: (name, _, body) => declared.push([name, body]),
  };
  conforms('a store', open, runner, options);
  const results = new Map<string, unknown>();
  for (const [name, body] of declared) {
    if (only !== undefined && name !== only) continue;
    try {
      await body();
      results.set(name, null);
    } catch (error) {
      results.set(name, error);
    }
  }
  return results;
}
