import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test, vi } from 'vitest';
import { expectHistory, ownedBy, talkAndCommit } from '../helpers/history.ts';
import { snapshotOf } from '../helpers/ownership.ts';
import { createWorkplace } from '../helpers/workplace.ts';

test('a commit and a switch in one line: what runs in the background afterwards means that commit', async () => {
  using work = createWorkplace();
  const session = work.session();
  const one = talkAndCommit(work, session, 'one');
  await ownedBy(work, one, 'HEAD');
  session.say('do two');
  work.write('two.txt', 'two');
  work.git('add', 'two.txt');
  // Keeps post-commit from starting before HEAD is elsewhere.
  const [gate, started] = [join(work.home, 'gate'), join(work.home, 'started')];
  const node = work.write(
    '../home/node',
    `#!/bin/sh\n[ "$2" != post-commit ] || { : >"${started}"; while [ ! -e "${gate}" ]; do sleep 0.05; done; }\nexec "${process.execPath}" "$@"\n`,
    0o755,
  );
  const shared = join(work.dir, '.git/cc-context/hooks/shared.sh');
  work.run('sed', ['-i', `s|^node=.*|node='${node}'|`, shared]);
  work.git('commit', '--quiet', '-m', 'two');
  const [two] = work.contexts() as [string];
  work.git('switch', '--quiet', '-c', 'topic', 'HEAD~1');
  await vi.waitUntil(() => existsSync(started), { timeout: 20_000, interval: 20 });
  work.write('../home/gate', '');
  await ownedBy(work, two, 'main');
  const three = talkAndCommit(work, session, 'three');
  expect(snapshotOf(work, three).covers).toBeUndefined();
  expectHistory(work, 'HEAD', [
    ['three', [three]],
    ['one', [one]],
    ['begin', []],
  ]);
});
