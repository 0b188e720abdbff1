import { SNAPSHOT_DIR } from '../core/snapshot.ts';
import { git } from '../git/git.ts';
import { readBlobs } from '../git/history.ts';
import type { CaptureRow } from '../storage/local-state.ts';

/** How large the transcript was when another clone captured it, nobody here knows. */
const UNKNOWN_SIZE = -1;

const SNAPSHOT_FILE = /^[^\n]*\/(ctx-[0-9a-f]{64})\.json$/;

/**
 * What a commit's history has of sessions that the local state does not know, because it was lost or because another clone captured them:
 * read from the snapshot files in the commit's tree.
 * @returns captures, the latest first; none in a partial clone, where reading them could wait for the network.
 */
export async function recall(sessionIds: string[], commit: string, top: string): Promise<CaptureRow[]> {
  if (sessionIds.length === 0) return [];
  const partial = await git(['config', '--get', 'extensions.partialClone'], { cwd: top });
  if (partial.code === 0) return [];
  // -a: our own attributes say -diff, which makes the files binary to grep.
  const grep = ['grep', '-lzaF', '--no-color', '--full-name', '--no-recurse-submodules', '-f', '-', commit, '--', SNAPSHOT_DIR];
  const { stdout } = await git(grep, { cwd: top, input: `${sessionIds.join('\n')}\n` });
  const names = stdout
    .toString('utf8')
    .split('\0')
    .filter((name) => SNAPSHOT_FILE.test(name));
  const blobs = await readBlobs(names, top);
  const wanted = new Set(sessionIds);
  return names
    .flatMap((name, at) => capturesIn(name.slice(commit.length + 1), blobs[at] ?? null))
    .filter(({ row }) => wanted.has(row.session_id))
    .sort((a, b) => (a.created_at > b.created_at ? -1 : 1))
    .map(({ row }) => row);
}

/** The sessions of a snapshot file; none when it is no such file: it may be anybody's. */
function capturesIn(path: string, bytes: Buffer | null): { row: CaptureRow; created_at: string }[] {
  const context_id = SNAPSHOT_FILE.exec(path)?.[1];
  if (context_id === undefined || bytes === null) return [];
  try {
    const { created_at, sessions } = JSON.parse(bytes.toString('utf8')) as {
      created_at: unknown;
      sessions: Record<string, unknown>[];
    };
    return sessions.flatMap(({ session_id, message_count }) =>
      typeof created_at === 'string' &&
      typeof session_id === 'string' &&
      Number.isSafeInteger(message_count) &&
      Number(message_count) >= 0
        ? [{ row: { context_id, session_id, path, message_count: message_count as number, size: UNKNOWN_SIZE }, created_at }]
        : [],
    );
  } catch {
    return [];
  }
}
