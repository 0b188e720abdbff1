import { expect, vi } from 'vitest';
import type { ListedCommit } from '../../src/commands/list.ts';
import type { Snapshot } from '../../src/core/snapshot.ts';
import { openDatabase } from '../../storage-adapters/sqlite/database.ts';
import type { Ran } from './repo.ts';
import type { Workplace, WrittenSession } from './workplace.ts';

/** Which commit, and the work tree it was made in. */
interface Where {
  commit?: string;
  cwd?: string;
  /** What `git status` has to say afterwards. */
  dirt?: string;
}

/**
 * Asserts that a commit owns exactly one context, of these sessions: as Git tells it, as the hook said, as cc-list lists it; and that index
 * and work tree are clean. @returns the context as cc-list lists it.
 */
export function expectCaptured(
  work: Workplace,
  ran: Ran,
  sessions: WrittenSession[],
  where: Where = {},
): ListedCommit['contexts'][number] {
  const { commit = 'HEAD', cwd = work.dir, dirt = '' } = where;
  expect(ran, ran.stderr).toMatchObject({ code: 0 });
  const owned = work.contexts(commit, cwd);
  expect(owned).toHaveLength(1);
  const many = sessions.length === 1 ? '1 session' : `${sessions.length} sessions merged`;
  expect(ran.stderr).toContain(`✓ Captured Claude context for this commit\n  - ${many}\n`);
  expect(ran.stderr).toContain(`  - Context ID: ${owned[0]?.slice(0, 12)}\n`);
  expect(ran.stderr).not.toContain('cc-context:');
  const listed = listedCommit(work, { commit, cwd });
  expect(listed).toMatchObject({ has_context: true, contexts: [{ context_id: owned[0] }] });
  const [context] = listed.contexts as [ListedCommit['contexts'][number]];
  expect(context.sessions.map(({ session_id }) => session_id)).toEqual(sessions.map(({ id }) => id).sort());
  expect(work.dirt(cwd)).toBe(dirt);
  return context;
}

/** Asserts that a commit owns no context and that the hook did not say it had captured one. */
export function expectNotCaptured(work: Workplace, ran: Ran, where: Where = {}): void {
  const { commit = 'HEAD', cwd = work.dir, dirt = '' } = where;
  expect(ran, ran.stderr).toMatchObject({ code: 0 });
  expect(work.contexts(commit, cwd)).toEqual([]);
  expect(ran.stderr).not.toContain('Captured');
  expect(listedCommit(work, { commit, cwd })).toMatchObject({ has_context: false, reason: 'no context', contexts: [] });
  expect(work.dirt(cwd)).toBe(dirt);
}

/** A commit as `cc-list --json` lists it. */
export function listedCommit(work: Workplace, { commit = 'HEAD', cwd = work.dir }: Where = {}): ListedCommit {
  const [listed] = work.json<ListedCommit[]>('list', '-C', cwd, '--limit', '1', commit);
  expect(listed?.commit).toBe(work.git('-C', cwd, 'rev-parse', commit));
  return listed as ListedCommit;
}

/** The snapshot file of a context, as the commit has it. */
export function snapshotOf(work: Workplace, contextId: string, commit = 'HEAD'): Snapshot {
  const path = work
    .git('ls-tree', '-r', '--name-only', commit)
    .split('\n')
    .find((name) => name.includes(contextId));
  return JSON.parse(work.git('show', `${commit}:${path}`)) as Snapshot;
}

/** Waits until the detached `post-commit` has noted a commit: that it owns contexts, or that no capture saw it. */
export async function noted(work: Workplace, commit = 'HEAD'): Promise<void> {
  const hash = work.git('rev-parse', commit);
  const state = work.git('rev-parse', '--path-format=absolute', '--git-path', 'cc-context/state.db');
  const known = () => {
    const database = openDatabase(state, { timeout: 20_000, durable: false });
    try {
      return (
        database
          .prepare('SELECT 1 FROM capture WHERE git_commit = ? UNION SELECT 1 FROM uncovered WHERE git_commit = ?')
          .get(hash, hash) !== undefined
      );
    } catch {
      return false; // no such table: the first hook has not come so far
    } finally {
      database.close();
    }
  };
  await vi.waitUntil(known, { timeout: 20_000, interval: 50 });
}
