import { expect, test } from 'vitest';
import type { ShownContext } from '../../src/commands/show.ts';
import { commitFiles, talkAndCommit } from '../helpers/history.ts';
import { snapshotOf } from '../helpers/ownership.ts';
import { createWorkplace } from '../helpers/workplace.ts';

test('a context by any unique abbreviation of its id, wherever its commit is', () => {
  using work = createWorkplace();
  work.git('switch', '--quiet', '-c', 'elsewhere');
  const one = talkAndCommit(work, work.session(), 'one');
  const commit = work.git('rev-parse', 'HEAD');
  work.git('switch', '--quiet', 'main');
  for (const id of [one, one.slice(0, 12), one.slice(0, 8)]) {
    expect(work.json<ShownContext>('show', id)).toMatchObject({ commit, context_ids: [one] });
  }
  // Unknown, too short, or not hex.
  const unknown = `ctx-${one.slice(4, 12) === '00000000' ? '1' : '0'}`.padEnd(20, '0');
  for (const id of [unknown, 'ctx-', 'ctx-12', 'ctx-../../x', `${one}00`]) {
    const ran = work.cc('show', id);
    expect(ran).toMatchObject({ code: 1, stdout: '' });
    expect(ran.stderr).toContain(id);
  }
});

test('an ambiguous abbreviation: says which it could be', () => {
  using work = createWorkplace();
  const one = talkAndCommit(work, work.session(), 'one');
  const twin = `${one.slice(0, 16)}${(one[16] === '0' ? '1' : '0').repeat(52)}`;
  work.write(
    `.cc-snapshots/2026/01/02/${twin}.json`,
    JSON.stringify({ ...snapshotOf(work, one), context_id: twin, manifest_hash: twin.slice(4) }),
  );
  work.git('add', '.');
  work.git('commit', '--quiet', '--no-verify', '-m', 'twin');
  const ran = work.cc('show', one.slice(0, 12));
  expect(ran).toMatchObject({ code: 1, stdout: '' });
  const [said, next] = ran.stderr.split('\n');
  expect(said).toMatch(/is ambiguous: ctx-[0-9a-f]{16}, ctx-[0-9a-f]{16}\.$/);
  expect(said).toContain(one.slice(0, 20));
  expect(next).toBe('Give more digits.');
  expect(work.json<ShownContext>('show', one.slice(0, 24)).context_ids).toEqual([one]);
});

test('commits without a context: names the nearest ancestor that has one, or says that there is none', () => {
  using work = createWorkplace();
  expect(work.cc('show')).toMatchObject({
    code: 1,
    stdout: '',
    stderr: expect.stringContaining('No commit before it has one either.'),
  });
  const session = work.session();
  talkAndCommit(work, session, 'one');
  const owner = work.git('rev-parse', 'HEAD').slice(0, 7);
  commitFiles(work, 'two');
  commitFiles(work, 'three');
  const name = work.git('rev-parse', 'HEAD').slice(0, 7);
  for (const args of [['show'], ['restore', '--yes'], ['diff', 'HEAD', 'HEAD~2'], ['diff', 'HEAD~2', 'HEAD']] as [
    string,
    ...string[],
  ][]) {
    expect(work.cc(...args)).toEqual({
      code: 1,
      stdout: '',
      stderr: `Commit ${name} has no Claude context.\nThe nearest commit before it that has one is ${owner} (one): name that one.\n`,
    });
  }
  work.git('merge', '--quiet', '--no-ff', '-m', 'merge', work.git('commit-tree', '-p', 'HEAD~1', '-m', 'side', 'HEAD^{tree}'));
  expect(work.cc('restore')).toMatchObject({
    code: 1,
    stdout: '',
    stderr: expect.stringMatching(/is a merge, and a merge resets the context\.\n.*one/),
  });
});

test.each(['nonsense', 'HEAD~99', 'f'.repeat(40), 'main..HEAD~99', ':/none', '--output=x', '-1'])(
  '%s is no commit: one sentence, the next step, exit code 1',
  (name) => {
    using work = createWorkplace();
    for (const args of [
      ['list', '--', name],
      ['show', '--', name],
      ['restore', '--', name],
      ['diff', '--', name, 'HEAD'],
    ] as [string, ...string[]][]) {
      expect(work.cc(...args)).toEqual({
        code: 1,
        stdout: '',
        stderr: `Git does not know the commit "${name}".\nSee what there is with: git log --oneline\n`,
      });
    }
    expect(work.dirt()).toBe('');
  },
);
