import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync, renameSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { expectNoTrace } from '../helpers/plain-sentence.ts';
import { restoredTranscript } from '../helpers/restored.ts';
import { canTrace, traceHook } from '../helpers/traced-hook.ts';
import { createWorkplace, type Workplace } from '../helpers/workplace.ts';

/** Commits while another process does this to the transcript, over and over; `body` is a script with `fs`, `path` and `round`. */
async function commitWhile(work: Workplace, path: string, body: string): Promise<void> {
  const script = `const fs=require('fs');const path=${JSON.stringify(path)};let round=0;setInterval(()=>{round+=1;${body}},1);console.log('begun')`;
  const child = spawn(process.execPath, ['-e', script], { stdio: ['ignore', 'pipe', 'inherit'] });
  try {
    await once(child.stdout, 'data');
    for (let commits = 0; commits < 8; commits += 1) expectNoTrace(work.commit().stderr);
  } finally {
    const exit = once(child, 'exit');
    child.kill('SIGKILL');
    await exit;
  }
}

const RECORD = `JSON.stringify({type:'user',uuid:'u'+round,parentUuid:null,timestamp:new Date().toISOString(),message:{role:'user',content:'round '+round+' '.repeat(round%7000)}})+'\\n'`;

test('a session that grows while it is read: each context is what stood there at its moment', async () => {
  using work = createWorkplace();
  const session = work.session();
  session.say('the question');
  await commitWhile(work, session.path, `fs.appendFileSync(path, ${RECORD})`);
  const last = readFileSync(session.path);
  for (const commit of work.git('log', '--format=%H', '--diff-filter=A', '--', '.cc-snapshots').split('\n')) {
    const then = restoredTranscript(work, commit);
    expect(last.subarray(0, then.length).equals(then)).toBe(true);
  }
  session.say('and on');
  work.commit();
  expect(restoredTranscript(work).equals(readFileSync(session.path))).toBe(true);
});

test.each([
  ['is rewritten', `fs.writeFileSync(path, first + ${RECORD}.repeat(1 + round % 50))`],
  ['is emptied and grows again', `round % 3 ? fs.appendFileSync(path, ${RECORD}) : fs.truncateSync(path, 0)`],
  ['is replaced by rename', `fs.writeFileSync(path + '.new', first + ${RECORD}); fs.renameSync(path + '.new', path)`],
  ['comes and goes', `round % 2 ? fs.renameSync(path, path + '.away') : fs.renameSync(path + '.away', path)`],
])('a session that %s while it is read: every commit is made, and the next quiet one owns it whole', async (_, body) => {
  using work = createWorkplace();
  const session = work.session();
  session.say('the question');
  const first = readFileSync(session.path, 'utf8');
  await commitWhile(work, session.path, `const first=${JSON.stringify(first)};${body}`);
  if (existsSync(`${session.path}.away`)) renameSync(`${session.path}.away`, session.path);
  session.say('and on');
  work.commit();
  expect(restoredTranscript(work).equals(readFileSync(session.path))).toBe(true);
  expect(work.dirt()).toBe('');
});

describe.runIf(canTrace)('the transcript fails at the moment when it', () => {
  const failures: [string, string, RegExp | null][] = [
    ['is opened: gone', 'openat:error=ENOENT:when=2+', /disappeared while it was read/],
    ['is opened: not permitted', 'openat:error=EACCES:when=2+', /cannot be read \(EACCES\)/],
    ['is opened at all', 'openat:error=EACCES', null],
    ['is read: shorter than it was', 'pread64:retval=0:when=2+', /became shorter while it was read/],
    ['is read: the disk fails', 'pread64:error=EIO:when=2+', /cannot be read \(EIO\)/],
  ];
  test.each(failures)('%s', (_, inject, says) => {
    using work = createWorkplace();
    const session = work.session();
    session.say('the question');
    const tracing = traceHook(work, ['-P', session.path, '-e', `inject=${inject}`]);
    const { stderr } = work.commit();
    tracing.end();
    expectNoTrace(stderr);
    if (says !== null) expect(stderr).toMatch(says);
    expect(work.contexts()).toEqual([]);
    expect(work.dirt()).toBe('');
    work.commit();
    expect(restoredTranscript(work).equals(readFileSync(session.path))).toBe(true);
  });
});
