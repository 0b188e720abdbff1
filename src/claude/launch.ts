import { spawn } from 'node:child_process';
import { UserError } from '../errors.ts';

/**
 * Starts Claude Code in this terminal and waits for its end.
 * @returns its exit code; 128 and the signal's number when a signal ended it.
 * @throws UserError when the command is not found.
 */
export function launch([program = 'claude', ...args]: string[], cwd: string): Promise<number> {
  return new Promise((resolve, reject) => {
    const child = spawn(program, args, { cwd, stdio: 'inherit' });
    // Ctrl-C belongs to the program in the foreground: it decides, we wait.
    const ignore = () => {};
    process.on('SIGINT', ignore);
    child.on('error', (cause) =>
      reject(
        new UserError(`Claude Code (${program}) was not found.`, 'Install it: npm install -g @anthropic-ai/claude-code', {
          cause,
        }),
      ),
    );
    child.on('close', (code, signal) => {
      process.off('SIGINT', ignore);
      resolve(code ?? 128 + (signal === 'SIGINT' ? 2 : signal === 'SIGTERM' ? 15 : 1));
    });
  });
}
