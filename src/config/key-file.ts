import {
  closeSync,
  fchmodSync,
  fsyncSync,
  openSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
  writeSync,
} from 'node:fs';
import { formatTeamKeys, parseTeamKeys, type TeamKey } from '../core/team-key.ts';
import { UserError } from '../errors.ts';

/** A file of keys that is larger (bytes) is none. */
const LARGEST = 64 * 1024;

/** Reads a file with something secret in it. @throws UserError when it is not there or cannot be read. */
export function readSecretFile(path: string, what: string): string {
  let problem: string;
  try {
    const { size } = statSync(path);
    if (size <= LARGEST) return readFileSync(path, 'utf8');
    problem = 'it is too large';
  } catch (error) {
    problem = (error as NodeJS.ErrnoException).code ?? 'unknown';
  }
  throw new UserError(`The ${what} ${path} cannot be read (${problem}).`, 'Check the path, and that the file is yours.');
}

/** Why a secret file is not as private as it should be; null when it is. */
export function exposure(path: string): string | null {
  if (process.platform === 'win32') return null; // no such modes there
  const mode = statSync(path, { throwIfNoEntry: false })?.mode ?? 0;
  return (mode & 0o077) === 0 ? null : `Others on this machine can read ${path}. Run: chmod 600 ${path}`;
}

/** Reads a key file, the newest key first. @throws UserError */
export function readKeyFile(path: string): TeamKey[] {
  const parsed = parseTeamKeys(readSecretFile(path, 'key file'));
  if ('keys' in parsed) return parsed.keys;
  throw new UserError(
    `The key file ${path} is not understood: ${parsed.problem}.`,
    'Make one with: cc-context key new --out <file>',
  );
}

/** Writes a new key file, mode 0600 whatever the umask. @throws UserError when something is there already, or it cannot be written. */
export function writeNewKeyFile(path: string, keys: TeamKey[]): void {
  try {
    writeSecret(path, formatTeamKeys(keys));
  } catch (cause) {
    const { code } = cause as NodeJS.ErrnoException;
    if (code === undefined) throw cause;
    throw new UserError(
      code === 'EEXIST' ? `There is a file ${path} already.` : `The key file ${path} cannot be written (${code}).`,
      'Name another file with --out.',
      { cause },
    );
  }
}

/** Puts a new key file in place of one that is there, as a whole: no moment has none. @throws UserError */
export function replaceKeyFile(path: string, keys: TeamKey[]): void {
  const target = realpathSync(path); // a link stays one
  const draft = `${target}.cc-context-${process.pid}`;
  writeNewKeyFile(draft, keys);
  try {
    renameSync(draft, target);
  } catch (cause) {
    rmSync(draft, { force: true });
    throw new UserError(`The key file ${path} cannot be replaced.`, 'Give yourself the right to write there.', { cause });
  }
}

function writeSecret(path: string, text: string): void {
  const fd = openSync(path, 'wx', 0o600);
  try {
    fchmodSync(fd, 0o600);
    writeSync(fd, text);
    fsyncSync(fd); // soon there are objects that nothing else can read
  } catch (error) {
    rmSync(path, { force: true });
    throw error;
  } finally {
    closeSync(fd);
  }
}
