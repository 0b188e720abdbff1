import { cpSync, globSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, test } from 'vitest';
import type { VerifyResult } from '../../src/commands/verify.ts';
import { openDatabase } from '../../storage-adapters/sqlite/database.ts';
import { installFolderAdapter } from '../helpers/folder-adapter.ts';
import { commitFiles, talkAndCommit } from '../helpers/history.ts';
import { expectNoTrace } from '../helpers/plain-sentence.ts';
import { settled } from '../helpers/settled.ts';
import { storePath } from '../helpers/store-file.ts';
import { canTrace } from '../helpers/traced-hook.ts';
import { createWorkplace, type Workplace } from '../helpers/workplace.ts';

/** System calls by which something is left behind: the first one to die at, the step to the next, and how many deaths there are at least. */
const POINTS: [calls: string, first: number, step: number, least: number][] = [
  ['pwrite64', 1, 4, 5],
  ['fsync,fdatasync', 1, 1, 3],
  ['unlink,unlinkat,ftruncate', 1, 1, 2],
];

/** A secret session beside another one, its fork, and a branch that nobody names any more; all of it uploaded. */
async function filled(): Promise<{ work: Workplace; secret: string }> {
  const work = createWorkplace();
  installFolderAdapter(work);
  const [secret, other] = [work.session(), work.session()];
  secret.say('the zebra project');
  other.say('harmless');
  commitFiles(work, 'both');
  talkAndCommit(work, secret, 'and on');
  await settled(work);
  work.cc('restore', '--yes');
  talkAndCommit(work, work.session(), 'another');
  work.git('checkout', '--quiet', '-b', 'topic');
  talkAndCommit(work, work.session(), 'of a branch');
  await settled(work);
  work.git('config', 'cc-context.store', 'npm:folder-adapter');
  expect(work.cc('cc-context', 'push').code).toBe(0);
  work.git('checkout', '--quiet', 'main');
  work.git('branch', '-D', 'topic');
  work.git('reflog', 'expire', '--expire=now', '--all');
  return { work, secret: secret.id };
}

function expectWhole(work: Workplace, manifests?: number): void {
  for (const where of ['--local', '--shared']) {
    const ran = work.cc('cc-context', 'verify', '--json', where);
    expectNoTrace(ran.stderr);
    const { problems, manifests: found } = JSON.parse(ran.stdout) as VerifyResult;
    expect(problems).toEqual([]);
    if (manifests !== undefined) expect(found).toBe(manifests);
  }
}

const commands: [name: string, args: (secret: string) => string[], manifests: number][] = [
  ['purge', (secret) => ['purge', secret, '--yes'], 2],
  ['gc', () => ['gc', '--prune', '--grace', '0'], 3],
  ['gc of the team’s store', () => ['gc', '--shared', '--prune', '--grace', '0'], 3],
];

describe.runIf(canTrace)('kill -9: all that commits name can be read, and the next run ends the work', () => {
  test.each(commands)('%s', { timeout: 600_000 }, async (name, args, manifests) => {
    const { work, secret } = await filled();
    using _ = work;
    const base = dirname(work.dir);
    const saved = `${base}-saved`;
    cpSync(base, saved, { recursive: true });
    const program = [process.execPath, join(work.bin, 'cc-context'), ...args(secret)];
    try {
      for (const [calls, first, step, least] of POINTS) {
        let killed = 0;
        for (let count = first, survived = 0; survived < 1; count += step) {
          rmSync(base, { recursive: true });
          cpSync(saved, base, { recursive: true });
          const inject = ['-e', `inject=${calls}:signal=KILL:when=${count}`];
          const { code, stderr } = work.run('strace', ['-f', '-qq', '-o', '/dev/null', ...inject, ...program]);
          expectNoTrace(stderr);
          if (code === 0) survived += 1;
          else killed += 1;
          expectWhole(work);
          const [node = '', ...rest] = program;
          expect(work.run(node, rest)).toMatchObject({ code: 0 });
          expectWhole(work, manifests);
          expectNothingLeft(work, name);
        }
        expect(killed, calls).toBeGreaterThanOrEqual(name === 'gc of the team’s store' ? 1 : least);
      }
    } finally {
      rmSync(saved, { recursive: true, force: true });
    }
  });
});

/** Neither what was to go nor what it takes to make it go. */
function expectNothingLeft(work: Workplace, name: string): void {
  const database = openDatabase(storePath(work), { timeout: 5000, durable: true });
  const count = (prefix: string) => database.prepare('SELECT key FROM object WHERE key LIKE ?').all(`${prefix}%`).length;
  const here = { manifests: count('manifests/'), unfinished: count('unfinished/') };
  database.close();
  const bucket = join(work.home, 'bucket');
  const there = {
    manifests: globSync('manifests/*', { cwd: bucket }).length,
    left: globSync('{unfinished,spare}/*', { cwd: bucket }),
  };
  const isGone = (command: string) => (name === command ? 3 : 4);
  expect(here).toEqual({ manifests: name === 'purge' ? 3 : isGone('gc'), unfinished: 0 });
  expect(there).toEqual({ manifests: name === 'purge' ? 3 : isGone('gc of the team’s store'), left: [] });
}
