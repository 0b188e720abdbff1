import type { Reporter, TestModule } from 'vitest/node';

/** The last line of a test run: `N passed, N failed`, with the skipped ones where there are any. */
export default class ClosingLine implements Reporter {
  onTestRunEnd(modules: readonly TestModule[], errors: readonly unknown[]): void {
    const tests = modules.flatMap((module) => [...module.children.allTests()]);
    const count = (state: string) => tests.filter((test) => test.result().state === state).length;
    // A file that could not be loaded has no tests to fail.
    const broken =
      modules.filter((module) => !module.ok() && [...module.children.allTests('failed')].length === 0).length + errors.length;
    const skipped = count('skipped');
    process.on('exit', () => {
      process.stdout.write(
        `${count('passed')} passed, ${count('failed') + broken} failed${skipped > 0 ? `, ${skipped} skipped` : ''}\n`,
      );
    });
  }
}
