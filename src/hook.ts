/** What the hook shims start. Imports only what a commit needs: this is the path on which people wait. */
import { postCommit } from './commands/hook/post-commit.ts';
import { postRewrite } from './commands/hook/post-rewrite.ts';
import { finishInBackground, preCommit } from './commands/hook/pre-commit.ts';
import { messages } from './messages.ts';

const HOOKS: Record<string, (...args: string[]) => Promise<void>> = {
  'pre-commit': preCommit,
  'post-commit': postCommit,
  'post-rewrite': postRewrite,
  'finish-capture': finishInBackground,
};

try {
  const [name = '', ...args] = process.argv.slice(2);
  await HOOKS[name]?.(...args);
} catch (error) {
  // A hook never fails a commit: whatever happened is told, and the exit code stays 0.
  process.stderr.write(`${messages.hookBroke(error)}\n`);
}
process.exit(0);
