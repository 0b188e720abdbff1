import { copyFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { expectCaptured } from '../helpers/ownership.ts';
import { createWorkplace } from '../helpers/workplace.ts';

/** The person commits from an index of their own; the repository's own one is mended in post-commit. */
test.each([
  ['absolute', (top: string) => join(top, '../mine'), ['-m', 'mine']],
  ["named like the repository's", (top: string) => join(top, '../home/index'), ['-m', 'mine']],
  ['relative', () => '.git/mine', ['-m', 'mine']],
  ['-a', (top: string) => join(top, '../mine'), ['-a', '-m', 'mine']],
  ['-- path', (top: string) => join(top, '../mine'), ['-m', 'mine', '--', 'file.txt']],
])("GIT_INDEX_FILE of the person's own: %s", (_, place, args) => {
  using work = createWorkplace();
  work.commit('a file');
  const session = work.session();
  for (const prompt of ['one', 'two']) {
    const index = place(work.dir);
    copyFileSync(join(work.dir, '.git/index'), join(work.dir, '.git/mine'));
    copyFileSync(join(work.dir, '.git/index'), index.startsWith('/') ? index : join(work.dir, index));
    const env = { GIT_INDEX_FILE: index };
    session.say(prompt);
    work.write('file.txt', `${prompt}\n`);
    expect(work.run('git', ['add', 'file.txt'], { env }).code).toBe(0);
    const ran = work.run('git', ['commit', ...args], { env });
    // As with any commit from another index, the repository's own one does not have the change; the snapshot file it has.
    expectCaptured(work, ran, [session], { dirt: 'MM file.txt\n' });
    expect(work.run('git', ['status', '--porcelain'], { env }).stdout).toBe('');
    work.git('reset', '--quiet');
    expect(work.dirt()).toBe('');
  }
});
