import type { Manifest } from './manifest.ts';

/** The folder in the work tree that holds snapshot files. */
export const SNAPSHOT_DIR = '.cc-snapshots';

/** One session in a snapshot file: numbers and names, never text. */
export interface SnapshotSession {
  session_id: string;
  message_count: number;
  /** Messages that the nearest ancestor commit that has this session did not have. */
  new_messages: number;
  /** True when an ancestor of the commit already has this session. */
  continued_from_parent: boolean;
  agent: string;
  agent_version: string | null;
  account: string | null;
  cwd: string | null;
}

/** A snapshot file: the metadata of a context that Git tracks. The commit that adds it owns the context. */
export interface Snapshot {
  version: 1;
  context_id: string;
  created_at: string;
  author: string;
  parent_commit: string | null;
  sessions: SnapshotSession[];
  total_messages: number;
  new_messages_since_parent: number;
  redactions: number;
  /** Commits that no hook saw (`--no-verify`, clean merges) and whose conversation is in this context. Left out when there are none. */
  covers?: string[];
  manifest_hash: string;
}

/** Path of the `.gitattributes` beside the snapshot files. */
export const ATTRIBUTES_PATH = `${SNAPSHOT_DIR}/.gitattributes`;

/** The `.gitattributes` beside the snapshot files: no filter, line-end conversion, diff or merge ever touches them. */
export const SNAPSHOT_ATTRIBUTES = '* -filter -text -diff -merge linguist-generated\n';

/** What an ancestor of the commit already has of a session. */
export interface Earlier {
  message_count: number;
}

/** Makes the snapshot of a manifest. `earlier` has an entry for each session that an ancestor of HEAD has. */
export function makeSnapshot(
  manifest: Manifest,
  facts: { manifestHash: string; author: string; earlier: Map<string, Earlier>; covers: string[] },
): Snapshot {
  const sessions = manifest.sessions.map((session): SnapshotSession => {
    const before = facts.earlier.get(session.session_id);
    return {
      session_id: session.session_id,
      message_count: session.message_count,
      new_messages: Math.max(0, session.message_count - (before?.message_count ?? 0)),
      continued_from_parent: before !== undefined,
      agent: session.agent,
      agent_version: session.agent_version,
      account: session.account,
      cwd: session.cwd,
    };
  });
  return {
    version: 1,
    context_id: `ctx-${facts.manifestHash}`,
    created_at: manifest.created_at,
    author: facts.author,
    parent_commit: manifest.parent_commit,
    sessions,
    total_messages: sum(sessions.map((session) => session.message_count)),
    new_messages_since_parent: sum(sessions.map((session) => session.new_messages)),
    redactions: sum(manifest.sessions.map((session) => session.redactions)),
    ...(facts.covers.length === 0 ? {} : { covers: facts.covers }),
    manifest_hash: facts.manifestHash,
  };
}

/** Path of a snapshot file, relative to the top of the work tree: `.cc-snapshots/2026/11/21/ctx-….json` (UTC). */
export function snapshotPath(contextId: string, createdAt: string): string {
  return `${SNAPSHOT_DIR}/${createdAt.slice(0, 10).replaceAll('-', '/')}/${contextId}.json`;
}

/** The bytes of a snapshot file. */
export function snapshotBytes(snapshot: Snapshot): Buffer {
  return Buffer.from(`${JSON.stringify(snapshot, null, 2)}\n`, 'utf8');
}

/** `ctx-` and the first eight digits: how a context is named to people. */
export function shortContext(contextId: string): string {
  return contextId.slice(0, 12);
}

function sum(numbers: number[]): number {
  return numbers.reduce((total, number) => total + number, 0);
}

/**
 * The contexts of one commit (amend, squash) read as their union: a session that is in several counts once, in its newest version.
 * @param contexts the oldest first.
 */
export function unionOf(contexts: Pick<Snapshot, 'sessions' | 'new_messages_since_parent'>[]): {
  sessions: number;
  total_messages: number;
  new_messages: number;
} {
  const counts = new Map(
    contexts.flatMap(({ sessions }) => sessions.map(({ session_id, message_count }) => [session_id, message_count])),
  );
  return {
    sessions: counts.size,
    total_messages: sum([...counts.values()]),
    new_messages: sum(contexts.map((context) => context.new_messages_since_parent)),
  };
}
