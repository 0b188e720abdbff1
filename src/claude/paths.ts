import { homedir } from 'node:os';
import { join } from 'node:path';

/** A session's id: the lower- or upper-case UUID that names its file. */
export function isSessionId(text: unknown): text is string {
  return typeof text === 'string' && /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i.test(text);
}

/** Claude Code's configuration directory, or null when there is neither `CLAUDE_CONFIG_DIR` nor a home. */
export function configDir(env: NodeJS.ProcessEnv = process.env): string | null {
  if (env['CLAUDE_CONFIG_DIR']) return env['CLAUDE_CONFIG_DIR'];
  try {
    return join(env['HOME'] || homedir(), '.claude');
  } catch {
    return null; // os.homedir() throws where the user has no entry and no HOME
  }
}

/** The folder of all project directories. */
export function projectsDir(config: string): string {
  return join(config, 'projects');
}

/** Claude Code shortens names of project directories beyond this, unless it is older than 2.1.47. */
const LONGEST = 200;

/**
 * The name of the project directory of a (real) path: every UTF-16 code unit outside `[A-Za-z0-9]` is `-`; names over 200
 * characters end in a hash of the path. Measured on 2.1.329.
 */
export function projectName(path: string): string {
  const name = encodePath(path);
  return hasLongName(path) ? `${name.slice(0, LONGEST)}-${shortHash(path)}` : name;
}

/** Whether versions differ in where they keep the sessions of a path. */
export function hasLongName(path: string): boolean {
  return path.length > LONGEST;
}

/** The name that versions before 2.1.47 give to the project directory of a path, however long it is. */
export function unshortenedName(path: string): string {
  return encodePath(path);
}

/** True when a project directory of this name may belong to the path or something below it: the name is not injective, ask the records. */
export function mayBeProjectOf(name: string, path: string): boolean {
  const encoded = encodePath(path);
  return name === encoded || name.startsWith(`${encoded}-`.slice(0, LONGEST));
}

function encodePath(path: string): string {
  return path.replace(/[^A-Za-z0-9]/g, '-');
}

function shortHash(text: string): string {
  let hash = 0;
  for (let at = 0; at < text.length; at += 1) hash = ((hash << 5) - hash + text.charCodeAt(at)) | 0;
  return Math.abs(hash).toString(36);
}
