import { randomBytes } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { expectNoTrace, expectPlainFailure } from '../helpers/plain-sentence.ts';
import { restoredTranscript } from '../helpers/restored.ts';
import { canTrace, traceHook } from '../helpers/traced-hook.ts';
import { createWorkplace } from '../helpers/workplace.ts';

describe.runIf(canTrace)('a disk that fails the hook', () => {
  const failures: [string, string, RegExp][] = [
    ['is full from the start', 'pwrite64:error=ENOSPC', /The disk is full|cannot be used/],
    ['is full after a while', 'pwrite64:error=ENOSPC:when=6+', /The disk is full|cannot be used/],
    ['is read-only', 'pwrite64:error=EROFS', /The store .* cannot be used/],
    ['does not take a flush', 'fsync,fdatasync:error=EIO', /The store .* cannot be used/],
    ['has an I/O error', 'pwrite64:error=EIO:when=3+', /The store .* cannot be used/],
    ['has no room for a file', 'openat:error=ENOSPC:when=25+', /./],
  ];
  test.each(failures)('%s: the commit is made, and nothing stored before is lost', (_, inject, says) => {
    using work = createWorkplace();
    const session = work.session();
    session.say('the question');
    work.commit();
    const first = readFileSync(session.path);
    session.say('more', randomBytes(1_000_000).toString('hex'));
    const tracing = traceHook(work, ['-e', `inject=${inject}`]);
    const { stderr } = work.commit();
    tracing.end();
    expectNoTrace(stderr);
    expect(stderr).toMatch(/no context was captured for this commit/);
    expect(stderr).toMatch(says);
    expect(work.contexts()).toEqual([]);
    expect(work.dirt()).toBe('');
    work.commit();
    expect(restoredTranscript(work).equals(readFileSync(session.path))).toBe(true);
    expect(restoredTranscript(work, 'HEAD~2').equals(first)).toBe(true);
  });

  test('cc-restore on a full disk: one sentence, no session', () => {
    using work = createWorkplace();
    const session = work.session();
    session.say('the question', randomBytes(1_000_000).toString('hex'));
    work.commit();
    const folder = dirname(session.path);
    const before = readdirSync(folder);
    const ran = work.run('sh', [
      '-c',
      'ulimit -f 500; trap "" XFSZ; exec "$0" "$@"',
      process.execPath,
      join(work.bin, 'cc-restore'),
      '--yes',
    ]);
    expectPlainFailure(ran, /The session could not be written to/);
    expect(readdirSync(folder)).toEqual(before);
  });
});
