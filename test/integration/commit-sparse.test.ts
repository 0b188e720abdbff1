import { expect, test } from 'vitest';
import { expectCaptured } from '../helpers/ownership.ts';
import { createWorkplace } from '../helpers/workplace.ts';

test.each([
  ['cone mode', ['--cone', 'src']],
  ['cone mode with a sparse index', ['--cone', '--sparse-index', 'src']],
  ['patterns', ['--no-cone', '/src/', '!/.cc-snapshots/']],
])('a sparse checkout without .cc-snapshots, %s', (_, options) => {
  using work = createWorkplace();
  work.write('src/a.txt', 'a\n');
  work.write('docs/b.txt', 'b\n');
  work.git('add', '.');
  work.git('commit', '--quiet', '-m', 'files');
  const session = work.session();
  session.say('before it is sparse');
  work.write('src/a.txt', 'aa\n');
  expectCaptured(work, work.run('git', ['commit', '-a', '-m', 'before']), [session]);

  work.git('sparse-checkout', 'set', ...options);
  expect(work.git('ls-files', '-t', '--', 'docs/b.txt')).toBe('S docs/b.txt');
  for (const text of ['b', 'c']) {
    session.say(text);
    work.write('src/a.txt', text);
    const context = expectCaptured(work, work.run('git', ['commit', '-a', '-m', text]), [session]);
    expect(context).toMatchObject({ new_messages_since_parent: 2 });
  }
  work.git('sparse-checkout', 'reapply');
  expect(work.dirt()).toBe('');
  expect(work.git('ls-files', '--', '.cc-snapshots').split('\n')).toHaveLength(4);
});
