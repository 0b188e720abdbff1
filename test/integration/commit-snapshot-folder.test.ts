import { mkdirSync, readdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { expectCaptured, expectNotCaptured } from '../helpers/ownership.ts';
import { createWorkplace } from '../helpers/workplace.ts';

/** What a repository may hold where the snapshot folder belongs: a way out of it, or no folder. */
test.each([
  ['.cc-snapshots is a link to a folder outside', '.cc-snapshots', 'link'],
  ['.cc-snapshots is a dangling link', '.cc-snapshots', 'dangling'],
  ['a folder of the year is a link', `.cc-snapshots/${new Date().getUTCFullYear()}`, 'link'],
  ['.cc-snapshots is a file', '.cc-snapshots', 'file'],
  ['a folder of the year is a file', `.cc-snapshots/${new Date().getUTCFullYear()}`, 'file'],
])('%s', (_, path, kind) => {
  using work = createWorkplace();
  const outside = join(work.home, 'outside');
  if (kind !== 'dangling') mkdirSync(outside);
  if (path.includes('/')) mkdirSync(join(work.dir, '.cc-snapshots'));
  if (kind === 'file') writeFileSync(join(work.dir, path), 'a file\n');
  else symlinkSync(outside, join(work.dir, path));
  work.git('add', '--all');
  work.git('commit', '--quiet', '-m', 'hostile');
  const session = work.session();
  session.say('work on it');
  const ran = work.commit();
  expectNotCaptured(work, ran);
  expect(ran.stderr).toBe(
    `cc-context: no context was captured for this commit: ${path} is a symbolic link or no folder, so no context was captured. Remove it: git rm --cached ${path} && rm ${path}\n`,
  );
  if (kind === 'link') expect(readdirSync(outside)).toEqual([]);

  work.git('rm', '--quiet', path);
  const context = expectCaptured(work, work.commit(), [session]);
  expect(context).toMatchObject({ total_messages: 2, new_messages_since_parent: 2 });
});
