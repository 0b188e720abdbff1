import { expect, test } from 'vitest';
import { expectHistory, ownedBy, talkAndCommit } from '../helpers/history.ts';
import { createWorkplace, type Workplace } from '../helpers/workplace.ts';

/** A topic of three commits with a context each. */
function threeCommits() {
  const work = createWorkplace();
  const session = work.session();
  const contexts = ['one', 'two', 'three'].map((subject) => talkAndCommit(work, session, subject)) as [string, string, string];
  return { work, session, contexts };
}

const rebase = (work: Workplace, edit: string, ...args: string[]) =>
  work.run('git', ['rebase', '-i', ...args, 'HEAD~3'], {
    env: { GIT_SEQUENCE_EDITOR: `sed -i -e '${edit}'`, GIT_EDITOR: 'true' },
  });

test.each([
  ['squash', '2s/^pick/squash/'],
  ['fixup', '2s/^pick/fixup/'],
])('%s: the commit owns both contexts', async (_, edit) => {
  const {
    work,
    session,
    contexts: [one, two, three],
  } = threeCommits();
  using _work = work;
  session.say('not to be captured by the rebase');
  const ran = rebase(work, edit);
  expect(ran, ran.stderr).toMatchObject({ code: 0 });
  expect(ran.stderr).not.toMatch(/cc-context|Captured/);
  expectHistory(work, 'HEAD', [
    ['three', [three]],
    ['one', [one, two]],
    ['begin', []],
  ]);
  await ownedBy(work, two, 'HEAD~1');
});

test('reword: no stop, no new context', () => {
  const {
    work,
    session,
    contexts: [one, two, three],
  } = threeCommits();
  using _work = work;
  session.say('not to be captured by the rebase');
  const ran = work.run('git', ['rebase', '-i', 'HEAD~3'], {
    env: { GIT_SEQUENCE_EDITOR: "sed -i -e '2s/^pick/reword/'", GIT_EDITOR: 'sed -i -e "1s/.*/reworded/"' },
  });
  expect(ran, ran.stderr).toMatchObject({ code: 0 });
  expect(ran.stderr).not.toMatch(/cc-context|Captured/);
  expectHistory(work, 'HEAD', [
    ['three', [three]],
    ['reworded', [two]],
    ['one', [one]],
    ['begin', []],
  ]);
});

test('edit: an amend and a commit by hand at the stop capture what was said', () => {
  const {
    work,
    session,
    contexts: [one, two, three],
  } = threeCommits();
  using _work = work;
  expect(rebase(work, '2s/^pick/edit/').code).toBe(0);
  session.say('amend this one');
  work.write('two.txt', 'better');
  const amended = work.run('git', ['commit', '-a', '--amend', '--no-edit']);
  expect(amended.stderr).toContain('✓ Captured Claude context for this commit');
  const [first, second] = work.contexts();
  const own = first === two ? second : first;
  const byHand = talkAndCommit(work, session, 'by hand');
  work.git('rebase', '--continue');
  expectHistory(work, 'HEAD', [
    ['three', [three]],
    ['by hand', [byHand]],
    ['two', [two, own as string]],
    ['one', [one]],
    ['begin', []],
  ]);
});

test('drop and reorder: a context goes where its commit goes', () => {
  const {
    work,
    contexts: [, two, three],
  } = threeCommits();
  using _work = work;
  const ran = rebase(work, '1d;2{h;d};3G');
  expect(ran, ran.stderr).toMatchObject({ code: 0 });
  expectHistory(work, 'HEAD', [
    ['two', [two]],
    ['three', [three]],
    ['begin', []],
  ]);
});

test('--autosquash: the fixup brings its context along', () => {
  using work = createWorkplace();
  const session = work.session();
  const one = talkAndCommit(work, session, 'one');
  const two = talkAndCommit(work, session, 'two');
  const mend = talkAndCommit(work, session, 'fixup! one', { 'one.txt': 'mended' });
  work.run('git', ['rebase', '-i', '--autosquash', 'HEAD~3'], { env: { GIT_SEQUENCE_EDITOR: 'true' } });
  expectHistory(work, 'HEAD', [
    ['two', [two]],
    ['one', [one, mend]],
    ['begin', []],
  ]);
});
