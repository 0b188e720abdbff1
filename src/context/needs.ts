import { existsSync, realpathSync } from 'node:fs';
import { join } from 'node:path';
import type { Progress } from '../capture/read-file.ts';
import { SNAPSHOT_DIR } from '../core/snapshot.ts';
import { git, gitText } from '../git/git.ts';
import { readHistory } from '../git/history.ts';
import { type LocalState, openLocalState } from '../storage/local-state.ts';
import type { OpenStores } from '../storage/open.ts';
import type { Captured } from '../storage/purge-plan.ts';
import { usersOf } from '../storage/users.ts';

/** What the repositories on this machine need of a store. */
export interface Needs {
  /** Hashes of the manifests that something names: refs, reflogs, the indexes of work trees, what waits for its commit. */
  named: Set<string>;
  /** The chunks of each file that is captured, by its path: the next capture goes on from there. */
  files: [path: string, chunks: string[]][];
  /** Git directories of repositories that are not there: what they need is not known. */
  missing: string[];
}

/** What all repositories need that use the embedded store. @throws UserError when Git cannot read one of them. */
export async function needsOfAll({ blobs, state, commonDir }: OpenStores<Progress>): Promise<Needs> {
  const needs: Needs = { named: new Set(), files: [], missing: [] };
  const storeId = await blobs.id();
  for (const dir of new Set([commonDir, ...(await usersOf(blobs))])) {
    if (!existsSync(join(dir, 'HEAD'))) {
      needs.missing.push(dir);
      continue;
    }
    for (const hash of await namedByGit(dir)) needs.named.add(hash);
    if (dir === commonDir) addState(state, needs);
    else if (existsSync(join(dir, 'cc-context', 'state.db'))) {
      const other = openLocalState<Progress>(dir, storeId, 5000);
      try {
        addState(other, needs);
      } finally {
        other.close();
      }
    }
  }
  return needs;
}

function addState(state: LocalState<Progress>, { named, files }: Needs): void {
  for (const { context_id } of state.allPending()) named.add(context_id.slice('ctx-'.length));
  for (const [path, { chunks }] of state.allProgress()) files.push([path, chunks.map(([hash]) => hash)]);
}

/** Hashes of the manifests that the refs, the reflogs and the indexes of a repository name. */
export async function namedByGit(commonDir: string): Promise<Set<string>> {
  const paths: string[] = [];
  // Where the history of a shallow clone is cut off, all files of the tree are found.
  await readHistory(['--all', '--reflog'], commonDir, [], (snapshots) => paths.push(...snapshots.map(({ path }) => path)));
  for (const top of await topsOf(commonDir)) {
    const listed = await gitText(['ls-files', '-z', '--', `:(top)${SNAPSHOT_DIR}`], { cwd: top });
    paths.push(...listed.split('\0'));
  }
  return new Set(paths.flatMap((path) => /\/ctx-([0-9a-f]{64})\.json$/.exec(path)?.[1] ?? []));
}

/** The commits that a repository has. */
export async function knownCommits(commonDir: string): Promise<Set<string>> {
  return new Set((await gitText(['rev-list', '--all', '--reflog'], { cwd: commonDir })).split('\n'));
}

async function topsOf(commonDir: string): Promise<string[]> {
  const { stdout } = await git(['worktree', 'list', '--porcelain', '-z'], { cwd: commonDir });
  const entries = stdout.toString('utf8').split('\0\0');
  return entries.flatMap((entry) => {
    const lines = entry.split('\0').filter(Boolean);
    const top = lines.find((line) => line.startsWith('worktree '))?.slice('worktree '.length);
    if (top === undefined || lines.includes('bare') || !existsSync(join(top, '.git'))) return [];
    return [realpathSync(top)];
  });
}

/** The session that a file of Claude Code belongs to, by its path; null when the path does not say. */
const sessionOf = (path: string): string | null =>
  /[\\/]projects[\\/][^\\/]+[\\/]([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})(?:\.jsonl$|[\\/])/i
    .exec(path)?.[1]
    ?.toLowerCase() ?? null;

/** What is captured of the sessions that are purged, and of others. */
export function capturedOf({ files }: Needs, purged: string[]): Captured {
  const ids = new Set(purged);
  const captured = { purged: [] as string[], kept: [] as [string, string[]][] };
  for (const [path, chunks] of files) {
    const session = sessionOf(path);
    if (session === null) continue; // a subagent's, of whoever names it in a manifest
    if (ids.has(session)) captured.purged.push(...chunks);
    else captured.kept.push([session, chunks]);
  }
  return captured;
}
