import { globSync, statSync } from 'node:fs';
import { join } from 'node:path';
import type { Progress } from '../capture/read-file.ts';
import { UserError } from '../errors.ts';
import { git } from '../git/git.ts';
import { authorOf, type Repository } from '../git/repository.ts';
import { keepingMessages as messages } from '../messages.ts';
import type { BlobStore } from '../storage/blob-store.ts';
import { type GcFacts, type GcPlan, planGc, removeUnneeded } from '../storage/gc.ts';
import type { OpenStores } from '../storage/open.ts';
import { announce } from '../storage/removals.ts';
import { forgetUser } from '../storage/users.ts';
import { knownCommits, needsOfAll } from './needs.ts';

export interface CollectOptions {
  prune: boolean;
  /** Days. */
  grace: number;
  foreign?: boolean | undefined;
  forgetMissing?: boolean | undefined;
  onProgress?: (objects: number) => void;
}

/** What nothing names in a store. */
export interface Collection {
  store: string;
  /** Ids of contexts. */
  contexts: string[];
  blobs: number;
  /** Of all of it, as it is stored. */
  bytes: number;
  /** Contexts that nothing names and that stay: too young, or perhaps another repository's. */
  young: number;
  foreign: number;
  warnings: string[];
}

const DAY = 24 * 60 * 60 * 1000;

/**
 * What nothing needs of the embedded store, which all repositories of this person use: contexts that were captured in this one and that
 * none of them names any more, and blobs that no context names.
 * @throws UserError when it is not known what another repository needs.
 */
export async function collectHere(stores: OpenStores<Progress>, options: CollectOptions): Promise<Collection> {
  const { blobs, state } = stores;
  const { named, files, missing } = await needsOfAll(stores);
  if (options.prune && missing.length > 0) {
    if (options.forgetMissing !== true) throw new UserError(...messages.repositoriesMissing(missing));
    for (const dir of missing) await forgetUser(blobs, dir);
  }
  const here = new Set(state.ownedContexts().map(({ context_id }) => hashOf(context_id)));
  const plan = await planGc(blobs, {
    ...factsOf(stores, blobs, options, null),
    named,
    isOurs: (hash) => here.has(hash),
    blobs: files.flatMap(([, chunks]) => chunks),
  });
  const warnings = missing.length > 0 && !options.prune ? [messages.repositoriesMissing(missing).join(' ')] : [];
  if (options.prune) {
    const ids = plan.manifests.map(idOf);
    state.disown(ids); // nobody is to upload what is being removed
    warnings.push(...holes(await removeUnneeded(blobs, plan)));
    state.forgetContexts(ids);
  }
  return { ...collectionOf(blobs, plan), foreign: 0, warnings };
}

/**
 * What nothing needs of the team's store, as far as this clone knows: contexts that no ref names which it has, and that were put before it was
 * last told of others' (`git fetch`).
 * @throws UserError when this clone knows too little.
 */
export async function collectShared(
  stores: OpenStores<Progress>,
  remote: BlobStore,
  repository: Repository,
  options: CollectOptions,
): Promise<Collection> {
  const { commonDir, top } = repository;
  const shallow = await git(['rev-parse', '--is-shallow-repository'], { cwd: top });
  if (shallow.stdout.toString('utf8').trim() === 'true') throw new UserError(...messages.gcShallow);
  const here = new Set(stores.state.ownedContexts().map(({ context_id }) => hashOf(context_id)));
  const [{ named }, commits, fetched] = await Promise.all([needsOfAll(stores), knownCommits(commonDir), lastFetch(repository)]);
  const plan = await planGc(remote, {
    ...factsOf(stores, remote, options, fetched),
    named,
    isOurs: (hash, { parent_commit }) =>
      options.foreign === true || here.has(hash) || (parent_commit !== null && commits.has(parent_commit)),
    blobs: [],
  });
  const warnings: string[] = [];
  if (options.prune && plan.manifests.length + plan.blobs.length > 0) {
    stores.state.disown(plan.manifests.map(idOf));
    const [at, by] = [new Date().toISOString(), await authorOf(top)];
    // From now on nobody takes for granted what they know of this store.
    await announce(remote, { version: 1, kind: 'gc', sessions: [], at, by, reason: null });
    warnings.push(...holes(await removeUnneeded(remote, plan)));
  }
  return { ...collectionOf(remote, plan), warnings };
}

function factsOf(
  { state }: OpenStores<Progress>,
  store: BlobStore,
  { grace, onProgress }: CollectOptions,
  told: number | null,
): Pick<GcFacts, 'before' | 'firstSeen' | 'onProgress'> {
  return {
    before: () => (told ?? Date.now()) - grace * DAY,
    firstSeen: (keys) => state.firstSeen(store.url, keys),
    ...(onProgress === undefined ? {} : { onProgress }),
  };
}

/** When this clone was last told what others have (milliseconds since 1970); null where there are no others. @throws UserError when never. */
async function lastFetch({ commonDir, top }: Repository): Promise<number | null> {
  const remotes = await git(['remote'], { cwd: top });
  if (remotes.stdout.length === 0) return null;
  const heads = ['FETCH_HEAD', ...globSync('worktrees/*/FETCH_HEAD', { cwd: commonDir })];
  const times = heads.flatMap((name) => statSync(join(commonDir, name), { throwIfNoEntry: false })?.mtimeMs ?? []);
  if (times.length === 0) throw new UserError(...messages.gcFetchFirst);
  return Math.min(Date.now(), Math.max(...times));
}

function collectionOf({ url }: BlobStore, { manifests, blobs, bytes, young, foreign }: GcPlan): Omit<Collection, 'warnings'> {
  return { store: url, contexts: manifests.map(idOf).sort(), blobs: blobs.length, bytes, young, foreign };
}

const idOf = (hash: string): string => `ctx-${hash}`;
const hashOf = (contextId: string): string => contextId.slice('ctx-'.length);
const holes = (manifests: string[]): string[] => manifests.map((hash) => messages.cameMeanwhile(idOf(hash)));
