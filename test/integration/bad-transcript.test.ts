import { randomUUID } from 'node:crypto';
import { mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, test } from 'vitest';
import type { ShownContext } from '../../src/commands/show.ts';
import { expectNoTrace } from '../helpers/plain-sentence.ts';
import { restoredTranscript } from '../helpers/restored.ts';
import { createWorkplace, type Workplace, type WrittenSession } from '../helpers/workplace.ts';

/** Commits, and finds the session in that commit whole: byte for byte, and readable. */
function expectWhole(work: Workplace, session: WrittenSession): string {
  const { stderr } = work.commit();
  expectNoTrace(stderr);
  expect(stderr).toContain('✓ Captured Claude context');
  expect(restoredTranscript(work).equals(readFileSync(session.path))).toBe(true);
  const shown = work.json<ShownContext>('show');
  expect(shown.messages.map(({ content }) => content[0]?.['text'])).toContain('the question');
  expect(work.dirt()).toBe('');
  return stderr;
}

/** A session with a message, and bytes after it that no session should have. */
function expectKept(bytes: string | Buffer): string {
  using work = createWorkplace();
  const session = work.session();
  session.say('the question');
  session.append(bytes);
  session.say('and on');
  return expectWhole(work, session);
}

test('a session of 0 bytes is no context', () => {
  using work = createWorkplace();
  work.session().append('');
  expect(work.commit().stderr).not.toContain('cc-context');
  expect(work.contexts()).toEqual([]);
});

test('a session of 0 bytes beside another one', () => {
  using work = createWorkplace();
  work.session().append('');
  const session = work.session();
  session.say('the question');
  expectWhole(work, session);
});

test('half a line at the end is captured, and once more when it is whole', () => {
  using work = createWorkplace();
  const session = work.session();
  session.say('the question');
  session.say('and on');
  const whole = readFileSync(session.path);
  for (const cut of [300, 1]) {
    writeFileSync(session.path, whole.subarray(0, -cut));
    expectWhole(work, session);
  }
  writeFileSync(session.path, whole);
  expectWhole(work, session);
  expect(work.json<ShownContext>('show').messages).toHaveLength(4);
});

test('a line of 50 MB', () => {
  expectKept(`${JSON.stringify({ type: 'progress', data: 'all work and no play '.repeat(2_500_000) })}\n`);
});

test('an unfinished line of 50 MB', () => {
  using work = createWorkplace();
  const session = work.session();
  session.say('the question');
  session.append(`{"type":"progress","data":"${'all work and no play '.repeat(2_500_000)}`);
  expectWhole(work, session);
});

describe('what is no record is kept as it is', () => {
  test.each([
    ['invalid UTF-8', Buffer.from([0xff, 0xfe, 0xc3, 0x28, 0x80, 10])],
    ['invalid UTF-8 inside a record', Buffer.from('{"type":"user","x":"\xe9\xe8"}\n', 'latin1')],
    ['NUL bytes', Buffer.alloc(4096)],
    ['NUL bytes and a line end', Buffer.from('\0\0\0\n')],
    ['blank lines', '\n\n \n'],
    ['CRLF', '{"type":"x"}\r\n'],
    ['an array, a number, a string, null', '[]\n7\n"seven"\nnull\n'],
    ['unknown types', '{"type":"telepathy","payload":{"deep":[1,{"er":2}]}}\n{"no":"type"}\n{"type":7}\n'],
    [
      'fields of another type',
      '{"type":"user","uuid":7,"parentUuid":[],"timestamp":{},"message":"text","cwd":1}\n{"type":"assistant","uuid":"a","message":{"content":null}}\n',
    ],
    ['a __proto__ key', '{"type":"user","__proto__":{"polluted":true},"constructor":1,"uuid":"__proto__"}\n'],
    ['100,000 levels of nesting', `{"type":"x","data":${'['.repeat(100_000)}${']'.repeat(100_000)}}\n`],
  ])('%s', (_, bytes) => {
    expectKept(bytes);
  });
});

test('lines that are no JSON are counted in one warning', () => {
  expect(expectKept('{broken\n{also broken\n')).toContain('has 2 lines that are no JSON; kept as they are.');
});

test('a cycle of parents', () => {
  using work = createWorkplace();
  const session = work.session();
  session.say('the question');
  const [a, b] = [randomUUID(), randomUUID()];
  const record = (uuid: string, parentUuid: string) =>
    session.append(
      `${JSON.stringify({ type: 'user', uuid, parentUuid, cwd: work.dir, sessionId: session.id, timestamp: new Date().toISOString(), message: { role: 'user', content: 'round' } })}\n`,
    );
  record(a, b);
  record(b, a);
  work.commit();
  expect(work.cc('show').code).toBe(0);
  expect(work.cc('list', '--prompts').code).toBe(0);
  const restored = work.cc('restore', '--yes');
  expectNoTrace(restored.stderr);
  expect(restored.code).toBe(0);
});

test('what is named like a session and is none is passed over', () => {
  using work = createWorkplace();
  const session = work.session();
  session.say('the question');
  const folder = dirname(session.path);
  mkdirSync(join(folder, `${randomUUID()}.jsonl`));
  symlinkSync('/nowhere/at/all', join(folder, `${randomUUID()}.jsonl`));
  symlinkSync('..', join(folder, `${randomUUID()}.jsonl`));
  work.run('mkfifo', [join(folder, `${randomUUID()}.jsonl`)]);
  expectWhole(work, session);
  expect(work.json<ShownContext>('show').sessions).toHaveLength(1);
});

test('side files that cannot be followed: a loop of symlinks, a FIFO', () => {
  using work = createWorkplace();
  const session = work.session();
  session.say('the question');
  const side = session.path.slice(0, -'.jsonl'.length);
  mkdirSync(join(side, 'subagents'), { recursive: true });
  symlinkSync('../..', join(side, 'subagents', 'loop'));
  symlinkSync('/etc/passwd', join(side, 'subagents', 'agent-1.jsonl'));
  work.run('mkfifo', [join(side, 'subagents', 'agent-2.jsonl')]);
  expectWhole(work, session);
  expect(work.git('cat-file', '-p', 'HEAD')).not.toContain('root:');
});

test('the projects directory is a file', () => {
  using work = createWorkplace();
  const session = work.session();
  session.say('the question');
  work.commit();
  const projects = dirname(dirname(session.path));
  rmSync(projects, { recursive: true });
  work.write('../home/.claude/projects', 'no folder');
  expectNoTrace(work.commit().stderr);
  expect(work.contexts()).toEqual([]);
  expect(work.cc('show', 'HEAD~1').stdout).toContain('the question');
});
