import { statSync } from 'node:fs';
import { resolve } from 'node:path';
import { UserError } from '../errors.ts';
import { printable, printableJson } from './columns.ts';

/** Options that every command has, as commander gives them, beside its own. */
export type Options = Record<string, string | number | boolean | undefined> & { json?: boolean; C?: string };

/** What a command gives back: the data, and the same for people. */
export interface Output {
  data: unknown;
  /** May hold anything that a repository or a conversation says: control characters are taken out where it is printed. */
  text: string;
  /** Sentences for stderr. */
  warnings?: string[];
  /** Exit code, 0 when left out. */
  code?: number;
}

/** The directory a command works in. @throws UserError when there is none. */
export function directoryOf({ C }: Options): string {
  const directory = resolve(C ?? '.');
  if (statSync(directory, { throwIfNoEntry: false })?.isDirectory()) return directory;
  throw new UserError(`There is no directory ${directory}.`, 'Check the path given with -C.');
}

/** `cc-list | head` reads no further than it wants: that is no error. */
function endWithReader(): void {
  process.stdout.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code !== 'EPIPE') throw error;
    process.exit();
  });
}

/**
 * Makes an action for commander of a command: prints its result (with `--json` the data and nothing else on stdout) and tells what went
 * wrong in one sentence with the next step, exit code 1.
 */
export function run(command: (args: (string | undefined)[], options: Options) => Promise<Output>) {
  return async (...given: unknown[]): Promise<void> => {
    const action = given.at(-1) as { optsWithGlobals(): Options };
    const args = given.slice(0, -2) as (string | undefined)[];
    const options = action.optsWithGlobals();
    endWithReader();
    try {
      const { data, text, warnings = [], code = 0 } = await command(args, options);
      for (const warning of warnings) process.stderr.write(`! ${printable(warning)}\n`);
      process.stdout.write(options.json ? `${printableJson(data, 2)}\n` : text === '' ? '' : `${printable(text)}\n`);
      process.exitCode = code;
    } catch (error) {
      process.exitCode = 1;
      if (error instanceof UserError) {
        process.stderr.write(`${printable([error.message, error.next].filter((line) => line !== null).join('\n'))}\n`);
      } else {
        const what = error instanceof Error ? (error.stack ?? error.message) : String(error);
        process.stderr.write(`cc-context has a bug: ${printable(what)}\nPlease report it with the text above.\n`);
      }
    }
  };
}
