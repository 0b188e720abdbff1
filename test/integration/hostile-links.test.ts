import { randomUUID } from 'node:crypto';
import { mkdirSync, renameSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import { expectCaptured, expectNotCaptured } from '../helpers/ownership.ts';
import { expectNoTrace } from '../helpers/plain-sentence.ts';
import { restoredTranscript } from '../helpers/restored.ts';
import { createWorkplace } from '../helpers/workplace.ts';

test("a session's folder that is a link is not followed", () => {
  using work = createWorkplace();
  const session = work.session();
  session.say('the question');
  const outside = join(work.home, 'private');
  mkdirSync(outside);
  writeFileSync(join(outside, 'diary.txt'), 'dear diary\n');
  symlinkSync(outside, session.path.slice(0, -'.jsonl'.length));
  expectCaptured(work, work.commit(), [session]);
  expect(restoredTranscript(work).toString()).toContain('the question');
  const restored = work.json<{ sessions: { path: string }[] }>('restore', '--yes');
  const ran = work.run('find', [dirname((restored.sessions[0] as { path: string }).path), '-name', 'diary.txt']);
  expect(ran.stdout).toBe('');
});

test.each([[false], [true]])('a transcript that is a link is no session, named by the environment: %s', (named) => {
  using work = createWorkplace();
  const session = work.session();
  session.say('the question');
  const outside = join(work.home, `elsewhere-${randomUUID()}.jsonl`);
  renameSync(session.path, outside);
  symlinkSync(outside, session.path);
  const ran = work.commit(undefined, named ? { CLAUDE_CODE_SESSION_ID: session.id } : {});
  expectNoTrace(ran.stderr);
  expectNotCaptured(work, ran);
});
