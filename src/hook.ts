/** What the hook shims start. Each hook is imported when it runs: this is the path on which people wait. */
import { UserError } from './errors.ts';
import { messages } from './messages.ts';
import { printable } from './ui/columns.ts';

const HOOKS: Record<string, (...args: string[]) => Promise<void>> = {
  'pre-commit': async (input) => (await import('./commands/hook/pre-commit.ts')).preCommit(input),
  'post-commit': async (...args) => (await import('./commands/hook/post-commit.ts')).postCommit(...args),
  'post-rewrite': async () => (await import('./commands/hook/post-rewrite.ts')).postRewrite(),
  'finish-capture': async () => (await import('./commands/hook/pre-commit.ts')).finishInBackground(),
};

async function main([name = '', ...args]: string[]): Promise<void> {
  try {
    await HOOKS[name]?.(...args);
  } catch (error) {
    // A hook never fails a commit: whatever happened is told, and the exit code stays 0.
    const told = error instanceof UserError ? messages.captureWarning(error.sentence) : messages.hookBroke(error);
    process.stderr.write(`${printable(told)}\n`);
  }
  process.exit(0);
}

main(process.argv.slice(2));
