import { accessSync, constants, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { makeFolders } from '../../make-folders.ts';
import { replaceFile } from '../replace-file.ts';
import { HOOK_NAMES } from './line.ts';

/** What the shims are made from. */
export interface ShimSource {
  /** The package's `hooks` folder. */
  templates: string;
  /** Absolute path of the node that hooks start. */
  node: string;
  /** Absolute path of the script that it runs: `dist/hook.cjs` of the package. */
  entry: string;
}

const SHARED = 'shared.sh';
const SHIMS = [SHARED, ...HOOK_NAMES];

/** The directory of a repository's shims, which all its work trees share. */
export function shimsDir(commonDir: string): string {
  return join(commonDir, 'cc-context', 'hooks');
}

/** Puts the shims there or brings them up to date. Returns whether anything had to be written. */
export function writeShims(commonDir: string, source: ShimSource): boolean {
  const directory = shimsDir(commonDir);
  makeFolders(directory);
  const stale = SHIMS.map((name) => ({ path: join(directory, name), text: shimText(name, source) })).filter(
    ({ path, text }) => !isExecutable(path) || readFileSync(path, 'utf8') !== text,
  );
  for (const { path, text } of stale) replaceFile(path, Buffer.from(text), 0o755);
  return stale.length > 0;
}

/** The paths that the shims of a repository use; null when a shim is missing or cannot run. */
export function readShims(commonDir: string): { node: string; entry: string } | null {
  const directory = shimsDir(commonDir);
  if (!SHIMS.every((name) => isExecutable(join(directory, name)))) return null;
  const text = readFileSync(join(directory, SHARED), 'utf8');
  const [node, entry] = ['node', 'entry'].map((name) => assignment(name).exec(text)?.[1]?.replaceAll("'\\''", "'"));
  return node && entry ? { node, entry } : null;
}

/** True for a file that Git and the shell would run. */
export function isExecutable(path: string): boolean {
  try {
    if (!statSync(path).isFile()) return false;
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

function shimText(name: string, { templates, node, entry }: ShimSource): string {
  const template = readFileSync(join(templates, name), 'utf8');
  if (name !== SHARED) return template;
  return template
    .replace(assignment('node'), () => `node=${quoted(node)}`)
    .replace(assignment('entry'), () => `entry=${quoted(entry)}`);
}

/** A line that assigns a single-quoted word in a shell script. */
function assignment(name: string): RegExp {
  return new RegExp(`^${name}='((?:[^']|'\\\\'')*)'$`, 'm');
}

/** A word that a POSIX shell reads as exactly this text. */
function quoted(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}
