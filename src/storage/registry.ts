import { createRequire } from 'node:module';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { OpenStore } from '../adapter.ts';
import { UserError } from '../errors.ts';
import type { BlobStore } from './blob-store.ts';
import { withRetries } from './retry.ts';
import { openToldStore } from './told-store.ts';

/** Opens a store by its URL. @throws UserError, StoreError */
type Open = (url: string, cwd: string) => Promise<BlobStore>;

/** The kinds of stores that a team can share, by the beginning of their URLs. Each is loaded when it is used. */
const ADAPTERS: Record<string, Open> = {
  's3:': async (url) => {
    const { parseS3Url, s3Store } = await import('../../storage-adapters/s3/index.ts');
    return withRetries(s3Store(parseS3Url(url)));
  },
  'npm:': openFromPackage,
};

/**
 * Opens the store that a team shares.
 * @param cwd top of the repository: where a package of its own is looked for.
 * @throws UserError for a URL that is not understood, StoreError when the store cannot be opened.
 */
export async function openSharedStore(url: string, cwd: string): Promise<BlobStore> {
  const scheme = /^[a-z0-9+]+:/i.exec(url)?.[0].toLowerCase() ?? '';
  const open = ADAPTERS[scheme];
  if (open !== undefined) return await open(url, cwd);
  throw new UserError(
    `"${url}" names no kind of store that is known.`,
    `It begins with one of: ${Object.keys(ADAPTERS).join(', ')}`,
  );
}

/** `npm:name` or `npm:name?…`: a package of the repository whose default export opens a store. */
async function openFromPackage(url: string, cwd: string): Promise<BlobStore> {
  const name = url.slice('npm:'.length).split(/[?#]/)[0] as string;
  if (!/^(@[a-z0-9][\w.-]*\/)?[a-z0-9][\w.-]*$/i.test(name))
    throw new UserError(`"${url}" names no npm package.`, 'Write it as npm:my-adapter or npm:@team/adapter.');
  let path: string;
  try {
    path = createRequire(join(cwd, 'package.json')).resolve(name);
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
  const adapter = (await import(pathToFileURL(path).href)) as { default?: unknown };
  if (typeof adapter.default !== 'function')
    throw new UserError(`The package ${name} is no adapter: it has no default export that is a function.`);
  return withRetries(await openToldStore(adapter.default as OpenStore, url));
}
