import { createHash } from 'node:crypto';
import type { Snapshot } from '../core/snapshot.ts';
import { parseSnapshot } from '../core/snapshot-schema.ts';
import { UserError } from '../errors.ts';
import { blobReader, type HistoryCommit, readBlobs, readHistory, resolveCommit } from '../git/history.ts';

/** A commit with the contexts it owns, read and checked. */
export interface CommitContexts extends HistoryCommit {
  /** In the order in which they were captured. */
  contexts: Snapshot[];
  /** Snapshot files that could not be read, one sentence each. */
  problems: string[];
}

/** The commits of a range with their contexts, newest first. @throws UserError when git does not know the range. */
export async function contextsOf(revisions: string[], cwd: string, options: string[] = []): Promise<CommitContexts[]> {
  const reader = blobReader(cwd);
  const asked: string[] = [];
  const commits = await readHistory(revisions, cwd, options, (snapshots) => {
    const oids = snapshots.map(({ oid }) => oid);
    asked.push(...oids);
    reader.ask(oids);
  }).finally(() => reader.end());
  const answers = await reader.answers();
  const blobs = await askAgain(new Map(asked.map((oid, at) => [oid, answers[at] ?? null])), cwd);
  return commits.map((commit) => {
    const contexts: Snapshot[] = [];
    const problems: string[] = [];
    for (const { path, oid } of commit.snapshots) {
      const blob = blobs.get(oid) ?? null;
      const parsed = blob === null ? { problem: 'its object is missing' } : parseObject(oid, blob);
      if ('problem' in parsed) problems.push(`${path} is no valid snapshot file (${parsed.problem}).`);
      else if (!path.endsWith(`/${parsed.snapshot.context_id}.json`)) problems.push(`${path} names another context inside.`);
      else contexts.push(parsed.snapshot);
    }
    return { ...commit, contexts: contexts.sort(byTime), problems };
  });
}

/** Git gives up at the first object that is damaged in some ways: what it was asked for after that is asked again. */
async function askAgain(blobs: Map<string, Buffer | null>, cwd: string): Promise<Map<string, Buffer | null>> {
  let left = [...blobs].filter(([, bytes]) => bytes === null).map(([oid]) => oid);
  while (left.length > 0) {
    const answers = await readBlobs(left, cwd);
    const again = left.filter((oid, at) => {
      blobs.set(oid, answers[at] ?? null);
      return answers[at] == null;
    });
    left = again.slice(1);
  }
  return blobs;
}

/** Git does not compare a blob that it reads with its name. */
function parseObject(oid: string, bytes: Buffer): ReturnType<typeof parseSnapshot> {
  const object = Buffer.concat([Buffer.from(`blob ${bytes.length}\0`), bytes]);
  const name = createHash(oid.length === 40 ? 'sha1' : 'sha256')
    .update(object)
    .digest('hex');
  return name === oid ? parseSnapshot(bytes) : { problem: `its object ${oid} is damaged` };
}

function byTime(a: Snapshot, b: Snapshot): number {
  return Date.parse(a.created_at) - Date.parse(b.created_at);
}

/** A commit with its contexts. @throws UserError when git does not know it. */
export async function contextsOfCommit(revision: string, cwd: string): Promise<CommitContexts> {
  const commit = await resolveCommit(revision, cwd);
  const [found] = await contextsOf([commit], cwd, ['-1']);
  if (found === undefined)
    throw new UserError(`Git does not know the commit "${revision}".`, 'See what there is with: git log --oneline');
  return found;
}

/**
 * The contexts of a commit, at least one.
 * @throws UserError for a commit without a context: says why, and names the nearest ancestor that has one.
 */
export async function requireContexts(revision: string, cwd: string): Promise<CommitContexts> {
  const found = await contextsOfCommit(revision, cwd);
  if (found.contexts.length > 0) return found;
  const name = found.commit.slice(0, 7);
  if (found.problems.length > 0)
    throw new UserError(
      `The context of commit ${name} cannot be read: ${found.problems[0]}`,
      'See which commits have one that can: cc-list',
    );
  if (found.cut_off) {
    throw new UserError(
      `Which contexts commit ${name} owns is not known: the history of this shallow clone begins there.`,
      'Fetch the rest with: git fetch --unshallow',
    );
  }
  const [nearest] = await ancestorsWithContext(found.commit, cwd);
  const what =
    found.parents.length > 1
      ? `Commit ${name} is a merge, and a merge resets the context.`
      : `Commit ${name} has no Claude context.`;
  if (nearest === undefined) throw new UserError(what, 'No commit before it has one either. See: cc-list');
  throw new UserError(
    what,
    `The nearest commit before it that has one is ${nearest.commit.slice(0, 7)} (${nearest.subject}): name that one.`,
  );
}

/** A context by its id or a unique abbreviation of it (`ctx-550e8400`), with the commit that owns it. @throws UserError */
export async function findContext(id: string, cwd: string): Promise<CommitContexts> {
  if (!/^ctx-[0-9a-f]{4,64}$/.test(id))
    throw new UserError(`"${id}" is no context id.`, 'It is "ctx-" and at least 4 hex digits, as cc-list shows it.');
  const owners = (await contextsOf(['--all'], cwd)).filter(({ contexts }) =>
    contexts.some(({ context_id }) => context_id.startsWith(id)),
  );
  const ids = new Set(
    owners.flatMap(({ contexts }) => contexts.map(({ context_id }) => context_id).filter((found) => found.startsWith(id))),
  );
  const [owner] = owners;
  if (owner === undefined) throw new UserError(`No commit has a context ${id}.`, 'See what there is with: cc-list --limit 0');
  if (ids.size > 1)
    throw new UserError(
      `${id} is ambiguous: ${[...ids].map((found) => found.slice(0, id.length + 8)).join(', ')}.`,
      'Give more digits.',
    );
  return { ...owner, contexts: owner.contexts.filter(({ context_id }) => ids.has(context_id)) };
}

/** What a person names on the command line: a commit, or a context by its id. */
export async function namedContexts(name: string, cwd: string): Promise<CommitContexts> {
  return name.startsWith('ctx-') ? await findContext(name, cwd) : await requireContexts(name, cwd);
}

async function ancestorsWithContext(commit: string, cwd: string): Promise<CommitContexts[]> {
  return (await contextsOf([commit], cwd)).filter(({ contexts }) => contexts.length > 0).slice(0, 1);
}
