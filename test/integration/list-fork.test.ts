import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { ListedCommit } from '../../src/commands/list.ts';
import { expectHistory, talkAndCommit } from '../helpers/history.ts';
import { createWorkplace } from '../helpers/workplace.ts';

test('cc-list main..HEAD after fetching a pull request into a fresh clone that never ran cc-init', () => {
  using contributor = createWorkplace();
  contributor.git('switch', '--quiet', '-c', 'feature');
  const session = contributor.session();
  const one = talkAndCommit(contributor, session, 'one');
  const two = talkAndCommit(contributor, session, 'two');

  using reviewer = createWorkplace({ init: false });
  const clone = join(reviewer.home, 'clone');
  reviewer.git('clone', '--quiet', '--branch', 'main', contributor.dir, clone);
  reviewer.git('-C', clone, 'fetch', '--quiet', contributor.dir, 'feature');
  reviewer.git('-C', clone, 'switch', '--quiet', '-c', 'review', 'FETCH_HEAD');
  expectHistory(
    reviewer,
    'main..HEAD',
    [
      ['two', [two]],
      ['one', [one]],
    ],
    clone,
  );

  const asked = reviewer.json<ListedCommit[]>('list', '-C', clone, '--prompts', 'main..HEAD');
  expect(asked.map(({ prompts, has_context }) => [has_context, prompts])).toEqual([
    [true, null],
    [true, null],
  ]);
  const { stdout, stderr } = reviewer.cc('list', '-C', clone, '--prompts', 'main..HEAD');
  expect(stdout.match(/the conversation is not in the store on this machine/g)).toHaveLength(2);
  expect(stderr).toBe('');

  for (const command of ['show', 'restore']) {
    const ran = reviewer.cc(command, '-C', clone, 'HEAD');
    expect(ran).toMatchObject({ code: 1, stdout: '' });
    expect(ran.stderr).toContain(two.slice('ctx-'.length, 'ctx-'.length + 8));
    expect(ran.stderr.trimEnd().split('\n').length).toBeLessThanOrEqual(2);
  }
  expect(reviewer.json<{ capture: object }>('status', '-C', clone).capture).toEqual({
    ok: false,
    problems: ['cc-context is not set up in this repository. Run: cc-init'],
  });
  expect(reviewer.dirt(clone)).toBe('');
});

test('where a shallow clone begins, nobody claims to know what the commit owns', () => {
  using origin = createWorkplace();
  const session = origin.session();
  talkAndCommit(origin, session, 'one');
  talkAndCommit(origin, session, 'two');
  const three = talkAndCommit(origin, session, 'three');
  const clone = join(origin.home, 'clone');
  origin.git('clone', '--quiet', '--depth=2', `file://${origin.dir}`, clone);
  const listed = origin.json<ListedCommit[]>('list', '-C', clone);
  expect(listed.map(({ subject, contexts, reason }) => [subject, contexts.map(({ context_id }) => context_id), reason])).toEqual([
    ['three', [three], undefined],
    ['two', [], 'not known: the history of this shallow clone begins here'],
  ]);
  expect(origin.cc('show', '-C', clone, 'HEAD~1')).toMatchObject({
    code: 1,
    stdout: '',
    stderr: expect.stringContaining('git fetch --unshallow'),
  });
});
