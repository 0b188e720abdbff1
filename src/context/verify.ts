import type { Progress } from '../capture/read-file.ts';
import type { SharedStore } from '../config/shared-store.ts';
import type { Manifest } from '../core/manifest.ts';
import { type Snapshot, shortContext } from '../core/snapshot.ts';
import { purgedSentence, type Removal, type Tombstone } from '../core/tombstone.ts';
import { IntegrityError } from '../errors.ts';
import { type BlobStore, blobKey, manifestKey } from '../storage/blob-store.ts';
import type { OpenStores } from '../storage/open.ts';
import { readTombstone, tombstoneKey, tombstonesOf } from '../storage/removals.ts';
import { getBlob } from '../storage/spare.ts';
import { type ObjectProblem, type Verified, verifyObjects } from '../storage/verify.ts';
import { honourRemovals } from './honour.ts';
import type { CommitContexts } from './of-commits.ts';

/** Something that is wrong: an object, or a snapshot file. */
export interface Problem {
  /** Key of the object, or path of the snapshot file; null where only the sentence names it. */
  object: string | null;
  kind: ObjectProblem['kind'] | 'snapshot file';
  sentence: string;
  /** What cannot be read because of it. */
  context_ids: string[];
  commits: string[];
}

export interface VerifiedContexts {
  verified: Verified;
  problems: Problem[];
  /** What is not there on purpose. */
  purged: Removal[];
}

/**
 * Verifies all that contexts need, and that their snapshot files say of them what their manifests say.
 * @throws StoreError, UserError
 */
export async function verifyContexts(
  commits: CommitContexts[],
  stores: OpenStores<Progress>,
  {
    where,
    shared,
    onProgress,
  }: {
    where: 'local' | 'shared' | 'both';
    shared: SharedStore | null;
    onProgress?: ((objects: number, of: number, bytes: number) => void) | undefined;
  },
): Promise<VerifiedContexts> {
  const local = where === 'shared' ? null : stores.blobs;
  const remote = where === 'local' || shared?.trusted !== true ? null : stores.remote;
  if (where === 'shared' && remote !== null && shared !== null) await honourRemovals(stores, remote, shared);
  const problems: Problem[] = commits.flatMap(({ commit, problems }) =>
    problems.map((sentence) => ({ object: null, kind: 'snapshot file', sentence, context_ids: [], commits: [commit] })),
  );
  const owners = ownersOf(commits);
  const purged = new Map<string, Removal>();
  /** The manifests that are read, each with those of the commits that it stands for. */
  const standing = new Map<string, string[]>();
  const find = finder(local, remote);
  for (const hash of owners.keys()) {
    const found = await find(hash);
    if (found instanceof IntegrityError) problems.push(tombstoneProblem(hash, owners, found));
    else {
      for (const one of found) purged.set(purgedSentence(one), one);
      const last = found.at(-1);
      const stands = last === undefined ? hash : last.replacement;
      if (stands !== null) standing.set(stands, [...(standing.get(stands) ?? []), hash]);
    }
  }
  const verified = await verifyObjects([...standing.keys()], {
    get: async (key) => (await local?.get(key)) ?? (remote === null ? null : await fetch(remote, key)),
    onManifest: (hash, manifest) => {
      for (const { snapshot, commit } of (standing.get(hash) ?? []).flatMap((named) => owners.get(named) ?? [])) {
        const difference = differenceOf(snapshot, manifest);
        if (difference !== null) problems.push(snapshotProblem(snapshot, commit, difference));
      }
    },
    ...(onProgress === undefined ? {} : { onProgress }),
  });
  for (const problem of verified.problems) problems.push(objectProblem(problem, standing, owners));
  return { verified, problems, purged: [...purged.values()] };
}

type Owners = Map<string, { snapshot: Snapshot; commit: string }[]>;

/** The snapshots of each manifest, with the commits that own them. */
function ownersOf(commits: CommitContexts[]): Owners {
  const owners: Owners = new Map();
  for (const { commit, contexts } of commits.toReversed())
    for (const snapshot of contexts)
      owners.set(snapshot.manifest_hash, [...(owners.get(snapshot.manifest_hash) ?? []), { snapshot, commit }]);
  return owners;
}

async function fetch(remote: BlobStore, key: string): Promise<Buffer | null> {
  const blobs = blobKey('');
  return key.startsWith(blobs) ? await getBlob(remote, key.slice(blobs.length)) : await remote.get(key);
}

/** Finds the tombstones that lead from a manifest on. The team's store is asked for those of what is not here, by a list of all. */
function finder(local: BlobStore | null, remote: BlobStore | null) {
  let listed: Promise<Set<string>> | undefined;
  const list = async (store: BlobStore) => new Set(await Array.fromAsync(store.list(tombstoneKey(''))));
  const read = async (key: string): Promise<Tombstone | null> => {
    const here = local === null ? null : await readTombstone(local, key);
    if (here !== null || remote === null) return here;
    const manifest = manifestKey(key.slice(tombstoneKey('').length));
    if (local !== null && (await local.has([manifest])).size > 0) return null;
    listed ??= list(remote);
    return (await listed).has(key) ? await readTombstone(remote, key) : null;
  };
  return async (hash: string): Promise<Tombstone[] | IntegrityError> => {
    try {
      return await tombstonesOf(hash, read);
    } catch (error) {
      if (error instanceof IntegrityError) return error;
      throw error;
    }
  };
}

/** What a snapshot file says otherwise than the manifest, of the sessions that are still in that. */
function differenceOf(snapshot: Snapshot, { sessions, created_at, parent_commit }: Manifest): string | null {
  if (snapshot.created_at !== created_at) return 'created_at';
  if (snapshot.parent_commit !== parent_commit) return 'parent_commit';
  const said = new Map(snapshot.sessions.map((session) => [session.session_id, session]));
  for (const session of sessions) {
    const other = said.get(session.session_id);
    const fields = ['message_count', 'agent', 'agent_version', 'account', 'cwd'] as const;
    const differs = fields.find((field) => other?.[field] !== session[field]);
    if (differs !== undefined) return `${differs} of session ${session.session_id}`;
  }
  const isAll = snapshot.sessions.length === sessions.length;
  const sum = (numbers: number[]) => numbers.reduce((total, number) => total + number, 0);
  if (snapshot.total_messages !== sum(snapshot.sessions.map(({ message_count }) => message_count))) return 'total_messages';
  if (snapshot.new_messages_since_parent !== sum(snapshot.sessions.map(({ new_messages }) => new_messages)))
    return 'new_messages_since_parent';
  return isAll && snapshot.redactions !== sum(sessions.map(({ redactions }) => redactions)) ? 'redactions' : null;
}

function snapshotProblem(snapshot: Snapshot, commit: string, difference: string): Problem {
  const { context_id } = snapshot;
  const sentence = `The snapshot file of ${shortContext(context_id)} in commit ${commit.slice(0, 7)} does not say what its manifest says (${difference}).`;
  return { object: null, kind: 'snapshot file', sentence, context_ids: [context_id], commits: [commit] };
}

function tombstoneProblem(hash: string, owners: Owners, { message }: IntegrityError): Problem {
  const of = (owners.get(hash) ?? []).map(({ commit }) => commit);
  const sentence = `${message} ${concerned([`ctx-${hash}`], of)}`;
  return { object: tombstoneKey(hash), kind: 'damaged', sentence, context_ids: [`ctx-${hash}`], commits: of };
}

function objectProblem(
  { key, kind, needed_by, manifests }: ObjectProblem,
  standing: Map<string, string[]>,
  owners: Owners,
): Problem {
  const found = [...new Set(manifests)].flatMap((hash) => standing.get(hash) ?? []).flatMap((hash) => owners.get(hash) ?? []);
  const context_ids = [...new Set(found.map(({ snapshot }) => snapshot.context_id))];
  const commits = [...new Set(found.map(({ commit }) => commit))];
  const what = kind === 'wrong length' ? 'is not as long as its manifest says' : `is ${kind}`;
  const also = needed_by.length === 0 ? '' : `; compressed against it: ${few(needed_by)}`;
  const sentence = `The stored object ${key} ${what}${also}. ${concerned(context_ids, commits)}`;
  return { object: key, kind, sentence, context_ids, commits };
}

function concerned(contexts: string[], commits: string[]): string {
  return `Needed by ${few(contexts.map(shortContext))} of commit ${few(commits.map((commit) => commit.slice(0, 7)))}.`;
}

/** Names, and how many more there are. */
const few = (names: string[]): string =>
  names.length <= 3 ? names.join(', ') : `${names.slice(0, 3).join(', ')} and ${names.length - 3} more`;
