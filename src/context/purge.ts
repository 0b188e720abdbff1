import type { Progress } from '../capture/read-file.ts';
import type { Removal } from '../core/tombstone.ts';
import type { BlobStore } from '../storage/blob-store.ts';
import type { OpenStores } from '../storage/open.ts';
import { entomb, refuseSessions, removePurged } from '../storage/purge.ts';
import { type PurgePlan, planPurge } from '../storage/purge-plan.ts';
import { announce } from '../storage/removals.ts';
import { capturedOf, needsOfAll } from './needs.ts';

/** What others put while a purge goes on is looked for again, so often. */
const ROUNDS = 3;

/** What a purge finds in one store. */
export interface FoundInStore {
  store: string;
  contexts: number;
  blobs: number;
  /** Blobs of others that are stored anew, without what goes. */
  stored_anew: number;
  /** Ids of sessions that hold some of the same content, which stays. */
  shared_with: string[];
  /** Contexts that cannot be read, one sentence each: whether they hold the session is not known. */
  problems: string[];
}

/** What is going to be removed from each store: the team's, where there is one, and this machine's. */
export async function findSessions(
  sessions: string[],
  stores: OpenStores<Progress>,
  remote: BlobStore | null,
): Promise<FoundInStore[]> {
  const found: FoundInStore[] = [];
  if (remote !== null) found.push(summary(remote, await planPurge(remote, sessions, NOTHING_CAPTURED)));
  found.push(summary(stores.blobs, await planHere(sessions, stores)));
  return found;
}

/**
 * Removes sessions from the team's store and from this machine's, and has this repository forget them.
 * @returns what is left to be told, one sentence each.
 */
export async function purgeSessions(removal: Removal, stores: OpenStores<Progress>, remote: BlobStore | null): Promise<string[]> {
  const { blobs, state } = stores;
  const { sessions } = removal;
  const problems: string[] = [];
  // Never captured and never uploaded again, before anything is removed: else it would be back.
  await refuseSessions(blobs, removal);
  if (remote !== null) {
    await announce(remote, removal);
    problems.push(...(await removeFrom(remote, removal, () => planPurge(remote, sessions, NOTHING_CAPTURED))));
  }
  const plan = await planHere(sessions, stores);
  problems.push(...(await removeFrom(blobs, removal, () => planHere(sessions, stores))));
  for (const id of sessions) state.forgetSession(id, plan.blobs);
  return problems;
}

const NOTHING_CAPTURED = { purged: [], kept: [] };

async function planHere(sessions: string[], stores: OpenStores<Progress>): Promise<PurgePlan> {
  return await planPurge(stores.blobs, sessions, capturedOf(await needsOfAll(stores), sessions));
}

async function removeFrom(store: BlobStore, removal: Removal, plan: () => Promise<PurgePlan>): Promise<string[]> {
  const problems: string[] = [];
  for (let round = 0; round < ROUNDS; round += 1) {
    const found = await plan();
    if (round > 0 && found.contexts.length + found.manifests.length + found.blobs.length === 0) break;
    problems.push(...(await entomb(store, found, removal)).map(({ message }) => message));
    await removePurged(store, found);
  }
  return problems;
}

function summary({ url }: BlobStore, plan: PurgePlan): FoundInStore {
  return {
    store: url,
    contexts: plan.manifests.length,
    blobs: plan.blobs.length,
    stored_anew: plan.dependents.length,
    shared_with: plan.shared_with,
    problems: plan.problems.map(({ message }) => message),
  };
}
