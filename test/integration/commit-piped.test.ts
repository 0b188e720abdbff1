import { spawn } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { noted } from '../helpers/ownership.ts';
import { createWorkplace } from '../helpers/workplace.ts';

test('a commit whose output is captured ends although work goes on in the background', async () => {
  using work = createWorkplace();
  const session = work.session();
  session.say('one');
  // The background process is held up until the commit's pipes have closed: were it to keep them open, this would never end.
  const gate = join(work.home, 'go');
  const shared = join(work.dir, '.git/cc-context/hooks/shared.sh');
  const node = work.write(
    '../home/node',
    `#!/bin/sh\n[ "$2" != post-commit ] || while [ ! -e "${gate}" ]; do sleep 0.05; done\nexec "${process.execPath}" "$@"\n`,
    0o755,
  );
  writeFileSync(shared, readFileSync(shared, 'utf8').replace(/^node=.*$/m, `node='${node}'`));

  work.write('file.txt', 'one\n');
  work.git('add', 'file.txt');
  const output = await new Promise<string>((done, fail) => {
    const child = spawn('git', ['commit', '-m', 'piped'], { cwd: work.dir, env: work.env, stdio: ['pipe', 'pipe', 'pipe'] });
    let text = '';
    for (const stream of [child.stdout, child.stderr]) stream.on('data', (data) => (text += data));
    child.on('error', fail);
    child.on('close', () => done(text)); // only when every holder of the pipes has closed them
  });
  expect(output).toContain('✓ Captured Claude context for this commit');
  writeFileSync(gate, '');
  await noted(work);
});
