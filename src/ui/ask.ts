import { createInterface } from 'node:readline/promises';
import { UserError } from '../errors.ts';
import { printable } from './columns.ts';

/**
 * Asks a yes-or-no question on the terminal; anything but yes is no.
 * @throws UserError where there is no terminal to ask on.
 */
export async function askPerson(question: string): Promise<boolean> {
  if (!process.stdin.isTTY || !process.stderr.isTTY)
    throw new UserError(question, 'There is no terminal to answer on: pass --yes to go on.');
  const terminal = createInterface({ input: process.stdin, output: process.stderr });
  try {
    return /^y(es)?$/i.test((await terminal.question(`${printable(question)} [y/N] `)).trim());
  } finally {
    terminal.close();
  }
}
