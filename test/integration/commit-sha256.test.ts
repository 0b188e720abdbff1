import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { expectCaptured } from '../helpers/ownership.ts';
import { createWorkplace } from '../helpers/workplace.ts';

test('a repository of SHA-256 objects', () => {
  using work = createWorkplace({ begin: false, init: false });
  rmSync(join(work.dir, '.git'), { recursive: true });
  work.git('init', '--quiet', '--initial-branch=main', '--object-format=sha256');
  expect(work.cc('init').code).toBe(0);
  const session = work.session();
  session.say('one');
  expectCaptured(work, work.commit(), [session]);
  expect(work.git('rev-parse', 'HEAD')).toMatch(/^[0-9a-f]{64}$/);

  session.say('two');
  work.write('file.txt', 'two\n');
  expectCaptured(work, work.run('git', ['commit', '-m', 'two', '--', 'file.txt']), [session]);

  // What an aborted commit left is taken out again.
  session.say('three');
  work.write('new.txt', 'three\n');
  work.git('add', 'new.txt');
  expect(work.run('git', ['commit', '-m', '']).code).toBe(1);
  work.git('rm', '--quiet', '--cached', 'new.txt');
  expect(work.run('git', ['commit', '-m', 'nothing']).stderr).toBe('');
  expect(work.dirt()).toBe('?? new.txt\n');
  work.git('add', 'new.txt');
  expectCaptured(work, work.run('git', ['commit', '-m', 'three']), [session]);
});
