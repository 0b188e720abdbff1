import { expect, vi } from 'vitest';
import type { ListedCommit } from '../../src/commands/list.ts';
import { openDatabase } from '../../storage-adapters/sqlite/database.ts';
import type { Workplace, WrittenSession } from './workplace.ts';

/** Says something in a session and commits a file of its own (or these files). @returns the id of the context that the commit owns. */
export function talkAndCommit(
  work: Workplace,
  session: WrittenSession,
  subject: string,
  files: Record<string, string> = { [`${subject}.txt`]: subject },
): string {
  session.say(`please do ${subject}`);
  return commitFiles(work, subject, files)[0] as string;
}

/** Commits files. @returns the ids of the contexts that the commit owns. */
export function commitFiles(
  work: Workplace,
  subject: string,
  files: Record<string, string> = { [`${subject}.txt`]: subject },
): string[] {
  for (const [path, content] of Object.entries(files)) work.write(path, content);
  work.git('add', '--', ...Object.keys(files));
  work.git('commit', '--quiet', '-m', subject);
  return work.contexts();
}

/**
 * Asserts which commits there are, newest first, and which contexts each owns, as Git tells it and as cc-list lists it; and that index and
 * work tree are clean.
 */
export function expectHistory(
  work: Workplace,
  range: string,
  expected: [subject: string, contexts: string[]][],
  cwd: string = work.dir,
): ListedCommit[] {
  const listed = work.json<ListedCommit[]>('list', '-C', cwd, '--limit', '0', range);
  expect(listed.map(({ subject, contexts }) => [subject, contexts.map(({ context_id }) => context_id).sort()])).toEqual(
    expected.map(([subject, contexts]) => [subject, [...contexts].sort()]),
  );
  for (const { commit, contexts, has_context } of listed) {
    expect(contexts.map(({ context_id }) => context_id).sort()).toEqual(work.contexts(commit, cwd).sort());
    expect(has_context).toBe(contexts.length > 0);
  }
  expect(work.dirt(cwd)).toBe('');
  return listed;
}

/** Waits until the local state says that a commit owns a context: a detached hook writes it. */
export async function ownedBy(work: Workplace, contextId: string, revision: string): Promise<void> {
  const commit = work.git('rev-parse', revision);
  const database = openDatabase(work.git('rev-parse', '--path-format=absolute', '--git-path', 'cc-context/state.db'), {
    timeout: 20_000,
    durable: false,
  });
  try {
    const row = database.prepare('SELECT 1 FROM capture WHERE context_id = ? AND git_commit = ?');
    await vi.waitUntil(() => row.get(contextId, commit) !== undefined, { timeout: 20_000, interval: 20 });
  } finally {
    database.close();
  }
}
