import { expect, test } from 'vitest';
import { expectCaptured } from '../helpers/ownership.ts';
import { createWorkplace } from '../helpers/workplace.ts';

/** What people have in their configuration that changes the index or the output of the commands that we read. */
test.each([
  ['core.splitIndex=true'],
  ['index.version=4'],
  ['feature.manyFiles=true'],
  ['core.untrackedCache=true'],
  ['core.quotePath=false'],
  ['core.logAllRefUpdates=false'],
  ['commit.verbose=true'],
  ['commit.cleanup=scissors'],
  ['color.ui=always'],
  ['diff.renames=copies'],
  ['diff.external=false'],
  ['status.showUntrackedFiles=all'],
  ['log.decorate=full'],
  ['log.date=relative'],
  ['log.follow=true'],
  ['log.mailmap=true'],
  ['user.useConfigOnly=true'],
])('git config %s', (setting) => {
  using work = createWorkplace();
  const [name, value] = setting.split('=') as [string, string];
  work.git('config', name, value);
  work.commit('a file');
  const session = work.session();
  for (const args of [['-a'], ['--', 'file.txt']]) {
    session.say(args[0] as string);
    work.write('file.txt', args.join());
    const ran = work.run('git', ['commit', '-m', 'configured', ...args]);
    expect(expectCaptured(work, ran, [session])).toMatchObject({ new_messages_since_parent: 2 });
  }
});
