import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { expectCaptured, expectNotCaptured } from '../helpers/ownership.ts';
import { expectNoTrace } from '../helpers/plain-sentence.ts';
import { createWorkplace } from '../helpers/workplace.ts';

const year = String(new Date().getUTCFullYear());

/** What the index tracks where snapshot files belong, with nothing of it in the work tree. */
test.each([
  ['.cc-snapshots', '100644', '.cc-snapshots'],
  ['.cc-snapshots', '120000', '.cc-snapshots'],
  ['.cc-snapshots', '160000', '.cc-snapshots'],
  [`.cc-snapshots/${year}`, '100644', `.cc-snapshots/${year}`],
  [`.cc-snapshots/${year}`, '160000', `.cc-snapshots/${year}`],
  ['.cc-snapshots/.gitattributes/mine', '100644', '.cc-snapshots/.gitattributes'],
])('%s is tracked as %s and absent from the work tree', (path, mode, inTheWay) => {
  using work = createWorkplace();
  const object = mode === '160000' ? work.git('rev-parse', 'HEAD') : work.git('hash-object', '-w', work.write('mine', 'mine\n'));
  work.git('update-index', '--add', '--cacheinfo', `${mode},${object},${path}`);
  work.git('commit', '--quiet', '-m', 'hostile');
  work.session().say('work on it');
  work.write('more', 'more\n');
  work.git('add', 'more');
  const ran = work.run('git', ['commit', '-m', 'more']);
  expect(ran.code).toBe(0);
  expectNoTrace(ran.stderr);
  expect(ran.stderr).toContain(
    `${inTheWay} is ${path.endsWith('mine') ? 'no regular file' : 'a symbolic link or no folder'}, so no context was captured. Remove it: git rm `,
  );
  expect(work.contexts()).toEqual([]);
  expect(work.git('ls-tree', '-r', 'HEAD', '--', path)).toContain(`${mode} `);
  expect(existsSync(join(work.dir, '.cc-snapshots'))).toBe(false);
});

test('a file that is kept beside the snapshot files stays', () => {
  using work = createWorkplace();
  work.write('.cc-snapshots/README', 'mine\n');
  work.git('add', '--all');
  work.git('commit', '--quiet', '-m', 'mine');
  const session = work.session();
  session.say('work on it');
  expectCaptured(work, work.commit(), [session]);
  expect(work.git('show', 'HEAD:.cc-snapshots/README')).toBe('mine');
});

test.each([['mkfifo'], ['mkdir'], ['ln']])('.cc-snapshots/.gitattributes made by %s', (made) => {
  using work = createWorkplace();
  work.write('.cc-snapshots/keep', '');
  const path = join(work.dir, '.cc-snapshots/.gitattributes');
  work.run(made, made === 'ln' ? ['-s', '/nowhere/at/all', path] : [path]);
  work.write('.git/info/exclude', '/.cc-snapshots/.gitattributes\n/.cc-snapshots/keep\n');
  work.session().say('work on it');
  const ran = work.commit();
  expectNotCaptured(work, ran);
  expect(ran.stderr).toBe(
    'cc-context: no context was captured for this commit: .cc-snapshots/.gitattributes is no regular file, so no context was captured. Remove it: rm -r .cc-snapshots/.gitattributes\n',
  );
});
