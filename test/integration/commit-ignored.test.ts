import { expect, test } from 'vitest';
import { expectCaptured } from '../helpers/ownership.ts';
import { createWorkplace } from '../helpers/workplace.ts';

test.each([['.cc-snapshots'], ['.cc-snapshots/'], ['*.json'], ['.*'], ['*']])('.gitignore with %s', (pattern) => {
  using work = createWorkplace();
  work.write('.gitignore', `${pattern}\n`);
  work.write('file.txt', '0\n');
  work.git('add', '--force', '.gitignore', 'file.txt');
  work.git('commit', '--quiet', '-m', 'ignore');
  const session = work.session();
  for (const text of ['1', '2']) {
    session.say(text);
    work.write('file.txt', text);
    expectCaptured(work, work.run('git', ['commit', '-a', '-m', text]), [session]);
  }
  expect(work.git('ls-files', '--', '.cc-snapshots').split('\n')).toHaveLength(3);
});
