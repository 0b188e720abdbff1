import { homedir } from 'node:os';
import { join, resolve } from 'node:path';
import { SNAPSHOT_DIR } from '../core/snapshot.ts';
import { parseTeamKeys, type TeamKey } from '../core/team-key.ts';
import { IntegrityError, UserError } from '../errors.ts';
import type { Repository } from '../git/repository.ts';
import { unwrapText } from './age.ts';
import { readGitConfig } from './git-config.ts';
import { exposure, readKeyFile, readSecretFile } from './key-file.ts';
import { type Encryption, readCommittedFile } from './shared-store.ts';

/** The team's keys, encrypted with age for those who may have them; committed. */
export const WRAPPED_PATH = `${SNAPSHOT_DIR}/key.age`;

/** The keys that a person has. */
export interface HeldKeys {
  /** The newest first. */
  keys: [TeamKey, ...TeamKey[]];
  /** The one that what is uploaded is encrypted with. */
  writing: TeamKey;
  /** Where they come from, for people to read. */
  sources: string[];
  /** The key file, where they come from one. */
  file: string | null;
  /** Sentences: files that others can read. */
  warnings: string[];
}

interface Source {
  name: string;
  keys: TeamKey[];
  file?: string;
  warnings?: string[];
}

/**
 * Reads the keys of a person: from `CC_CONTEXT_KEY`, the file `CC_CONTEXT_KEY_FILE`, the file `git config cc-context.encryptionKeyFile`, and
 * the committed `key.age`, until the key is found that the settings name. Without settings that name one, `key.age` is not asked: whoever
 * can commit could put a key of their own there.
 * @throws IntegrityError when there is no key, or not the right one: what needs it is as good as missing.
 * @throws UserError when a source is set and cannot be read.
 */
export async function readTeamKeys(
  repository: Repository,
  { key_id }: Encryption,
  env: NodeJS.ProcessEnv = process.env,
): Promise<HeldKeys> {
  const found: Source[] = [];
  const keys = new Map<string, TeamKey>();
  for (const read of [fromEnvironment, fromFile, ...(key_id === null ? [] : [fromAge])]) {
    const source = await read(repository, env);
    if (source === null) continue;
    found.push(source);
    for (const key of source.keys) if (!keys.has(key.id)) keys.set(key.id, key);
    if (key_id === null || keys.has(key_id)) break;
  }
  const [newest, ...older] = keys.values();
  const wrapped = key_id !== null && (await readCommittedFile(WRAPPED_PATH, repository.top)) !== null;
  if (newest === undefined) throw new IntegrityError(noKey(key_id), howToGetIt(wrapped));
  const writing = key_id === null ? newest : keys.get(key_id);
  if (writing === undefined) throw new IntegrityError(wrongKey(key_id, [...keys.keys()]), howToGetIt(wrapped));
  return {
    keys: [newest, ...older],
    writing,
    sources: found.map(({ name }) => name),
    file: found.find(({ file }) => file !== undefined)?.file ?? null,
    warnings: found.flatMap(({ warnings = [] }) => warnings),
  };
}

/** The keys in the order in which a store uses them: first the one that writes. */
export function inUse({ keys, writing }: Pick<HeldKeys, 'keys' | 'writing'>): [TeamKey, ...TeamKey[]] {
  return [writing, ...keys.filter((key) => key !== writing)];
}

type Read = (repository: Repository, env: NodeJS.ProcessEnv) => Promise<Source | null>;

const fromEnvironment: Read = async (_, env) => {
  const text = env['CC_CONTEXT_KEY'];
  if (!text) return null;
  const parsed = parseTeamKeys(text);
  if ('keys' in parsed) return { name: 'CC_CONTEXT_KEY', keys: parsed.keys };
  throw new UserError(`CC_CONTEXT_KEY is not understood: ${parsed.problem}.`, 'It takes 32 bytes in hex or base64.');
};

const fromFile: Read = async ({ top }, env) => {
  const path = env['CC_CONTEXT_KEY_FILE'] || (await readGitConfig(top)).get('cc-context.encryptionkeyfile');
  if (!path) return null;
  const file = expand(path, top, env);
  const warning = exposure(file);
  return { name: file, keys: readKeyFile(file), file, warnings: warning === null ? [] : [warning] };
};

const fromAge: Read = async ({ top }, env) => {
  const path = env['CC_CONTEXT_AGE_IDENTITY'] || (await readGitConfig(top)).get('cc-context.ageidentity');
  const wrapped = path ? await readCommittedFile(WRAPPED_PATH, top) : null;
  if (!path || wrapped === null) return null;
  const file = expand(path, top, env);
  const unwrapped = await unwrapText(wrapped.toString('latin1'), readSecretFile(file, 'age identity'));
  if ('problem' in unwrapped) throw new IntegrityError(...notUnwrapped(unwrapped.problem, file));
  const parsed = parseTeamKeys(unwrapped.text);
  if ('problem' in parsed) throw new IntegrityError(...notUnwrapped('damaged', file));
  const warning = exposure(file);
  return { name: WRAPPED_PATH, keys: parsed.keys, warnings: warning === null ? [] : [warning] };
};

function expand(path: string, top: string, env: NodeJS.ProcessEnv): string {
  return path.startsWith('~/') ? join(env['HOME'] ?? homedir(), path.slice(2)) : resolve(top, path);
}

const noKey = (key_id: string | null) =>
  `The conversations of this repository are encrypted${key_id === null ? '' : ` (key ${key_id})`}, and you have no key.`;

const wrongKey = (key_id: string | null, held: string[]) =>
  `The conversations of this repository are encrypted with the key ${key_id}, and you have another one (${held.join(', ')}).`;

function howToGetIt(wrapped: boolean): string {
  const file = 'Ask your team for the key file, then: git config cc-context.encryptionKeyFile <file>';
  return wrapped ? `${file} (or, if it was wrapped for you: git config cc-context.ageIdentity <file>)` : file;
}

function notUnwrapped(problem: 'no identity' | 'damaged' | 'not for these', file: string): [string, string] {
  if (problem === 'no identity') return [`${file} is no file of age identities.`, 'Make one with: age-keygen -o <file>'];
  if (problem === 'damaged')
    return [`The committed ${WRAPPED_PATH} is damaged.`, 'Somebody who has the key can write it anew: cc-context key wrap'];
  return [
    `The team's key was not wrapped for your age identity (${file}).`,
    'Send your recipient (age1…) to somebody who has the key, for: cc-context key wrap <recipients>',
  ];
}
