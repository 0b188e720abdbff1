import { realpathSync } from 'node:fs';
import { createRequire, isBuiltin } from 'node:module';
import { isAbsolute, join, sep } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { S3Location } from '../../storage-adapters/s3/index.ts';
import type { OpenStore } from '../adapter.ts';
import { UserError } from '../errors.ts';
import type { BlobStore } from './blob-store.ts';
import { withRetries } from './retry.ts';
import { openToldStore } from './told-store.ts';

/** Opens a store by its URL. @throws UserError, StoreError */
type Open = (url: string, cwd: string, isTracked: IsTracked) => Promise<BlobStore>;
/** Whether Git tracks a file, so that it changes with what is checked out. */
type IsTracked = (path: string) => Promise<boolean>;

/** The kinds of stores that a team can share, by the beginning of their URLs. Each is loaded when it is used. */
const ADAPTERS: Record<string, Open> = {
  's3:': async (url) => {
    const { s3Store } = await import('../../storage-adapters/s3/index.ts');
    return withRetries(s3Store(await s3Location(url)));
  },
  'npm:': openFromPackage,
};

/** Where an S3 URL leads. What a person is asked about has to be what is used, letter by letter. @throws UserError */
async function s3Location(url: string): Promise<S3Location> {
  const { parseS3Url } = await import('../../storage-adapters/s3/index.ts');
  const location = parseS3Url(url);
  if (url.includes('%') || url.includes('/../') || !url.includes(location.endpoint ?? ''))
    throw new UserError(
      `${url} is not written as it is used.`,
      `Write its endpoint as ${location.endpoint ?? 'it is'}, without % and ..`,
    );
  return location;
}

/**
 * Checks a URL as far as that can be done without opening anything: before a person is asked about it.
 * @throws UserError for one that is not understood, or that is not what it shows.
 */
export async function checkSharedStore(url: string): Promise<void> {
  if (/^s3:/i.test(url)) await s3Location(url);
  else if (/^npm:/i.test(url)) packageIn(url);
  else throw unknownKind(url);
}

/**
 * Opens the store that a team shares.
 * @param cwd top of the repository: where a package of its own is looked for.
 * @throws UserError for a URL that is not understood, StoreError when the store cannot be opened.
 */
export async function openSharedStore(url: string, cwd: string, isTracked: IsTracked): Promise<BlobStore> {
  const scheme = /^[a-z0-9+]+:/i.exec(url)?.[0].toLowerCase() ?? '';
  const open = ADAPTERS[scheme];
  if (open !== undefined) return await open(url, cwd, isTracked);
  throw unknownKind(url);
}

function unknownKind(url: string): UserError {
  return new UserError(
    `"${url}" names no kind of store that is known.`,
    `It begins with one of: ${Object.keys(ADAPTERS).join(', ')}`,
  );
}

/** The package in `npm:name` or `npm:name?…`. @throws UserError */
function packageIn(url: string): string {
  const name = url.slice('npm:'.length).split(/[?#]/)[0] as string;
  if (/^(@[a-z0-9][\w.-]*\/)?[a-z0-9][\w.-]*$/i.test(name)) return name;
  throw new UserError(`"${url}" names no npm package.`, 'Write it as npm:my-adapter or npm:@team/adapter.');
}

/** `npm:name` or `npm:name?…`: a package of the repository whose default export opens a store. */
async function openFromPackage(url: string, cwd: string, isTracked: IsTracked): Promise<BlobStore> {
  const name = packageIn(url);
  let path: string;
  try {
    // As if asked from within node_modules: a package.json of the repository that takes the adapter's name is not found there.
    path = createRequire(join(cwd, 'node_modules', '.cc-context', 'index.js')).resolve(name);
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code !== 'MODULE_NOT_FOUND')
      throw new UserError(
        `The package ${name} is no adapter: it has nothing that can be imported.`,
        'Its package.json has to say "exports": "./index.js", or whatever its file is.',
        { cause },
      );
    throw new UserError(
      `The adapter ${name} is not installed in this repository.`,
      `Install it: npm install --save-dev ${name}`,
      {
        cause,
      },
    );
  }
  const own = `${realpathSync(join(cwd, 'node_modules'))}${sep}`;
  if (isBuiltin(name) || !isAbsolute(path) || !realpathSync(path).startsWith(own))
    throw new UserError(
      `The adapter ${name} is not a package in this repository's node_modules.`,
      `Install it: npm install --save-dev ${name}`,
    );
  if (await isTracked(path))
    throw new UserError(
      `The adapter ${name} is part of this repository, not installed: whoever commits could change what runs.`,
      'Publish it as a package, and install that.',
    );
  const adapter = (await import(pathToFileURL(path).href)) as { default?: unknown };
  if (typeof adapter.default !== 'function')
    throw new UserError(`The package ${name} is no adapter: it has no default export that is a function.`);
  return withRetries(await openToldStore(adapter.default as OpenStore, url));
}
