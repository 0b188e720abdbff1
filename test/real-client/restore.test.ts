import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { CLAUDE_VERSIONS } from '../helpers/claude-install.ts';
import { LOST_RESULT, prompts, results } from '../helpers/messages-api.ts';
import { bash } from '../helpers/mock-reply.ts';
import * as make from '../helpers/sessions.ts';
import { openStudio, type RestoredJson, type Studio } from '../helpers/studio.ts';

vi.setConfig({ testTimeout: 90_000 });

describe.each(CLAUDE_VERSIONS)('restored for Claude Code %s', (version) => {
  let studio: Studio;
  beforeEach(async () => {
    studio = await openStudio(version);
  });
  afterEach(() => studio.close());

  const restore = (...args: string[]) => studio.cc<RestoredJson>('restore', ['--yes', ...args]);
  const expectValid = () => expect(studio.api.requests.flatMap(({ violations }) => violations)).toEqual([]);

  const kinds = {
    'resumed, with tool calls and thinking': make.resumedSession,
    'with parallel tool calls': make.parallelSession,
    'with an overflowed tool result': make.largeResultSession,
    'with a compaction': make.compactedSession,
    'with a subagent': make.subagentSession,
  };
  test.each(Object.entries(kinds))('one session %s: the model gets what it would have got', async (_, makeSession) => {
    const original = await makeSession(studio.person, studio.dir);
    studio.commit();
    const restored = restore();
    const session_id = restored.sessions[0]?.session_id ?? '';
    expect(session_id).not.toBe(original);
    expect(restored.reason).toContain('an exact copy');
    const got = await studio.resume(session_id, 'and now?');
    const expected = await studio.resume(original, 'and now?');
    expect(got.length).toBeGreaterThan(1);
    expect(got).toEqual(expected);
    expectValid();
  });

  test('two terminals at once: every result arrives whole, prompts in the order of time', async () => {
    await make.overlappingSessions(studio.person, studio.dir);
    const originals = studio.api.conversationRequests().flatMap(({ body }) => results(body.messages));
    studio.commit();
    const { sessions, messages } = restore();
    expect(messages).toBeGreaterThanOrEqual(16);
    const got = await studio.resume(sessions[0]?.session_id ?? '', 'and now?');
    expect(prompts(got, ['left 1', 'right 1', 'right 2', 'left 2'])).toEqual(['left 1', 'right 1', 'right 2', 'left 2']);
    const texts = results(got).map(({ content }) => JSON.stringify(content));
    const expected = new Set(originals.map(({ content }) => JSON.stringify(content)));
    expect(new Set(texts)).toEqual(expected);
    expect(texts).toHaveLength(4);
    expect(JSON.stringify(got)).not.toContain(LOST_RESULT);
    expect(JSON.stringify(got)).toContain('--- USER STARTED NEW SESSION (');
    expectValid();
  });

  test('three sessions, one of them compacted: nothing hides the others', async () => {
    await make.overlappingSessions(studio.person, studio.dir);
    await make.compactedSession(studio.person, studio.dir);
    studio.commit();
    const { sessions } = restore();
    const got = JSON.stringify(await studio.resume(sessions[0]?.session_id ?? '', 'and now?'));
    for (const text of ['left 1', 'right 1', 'right 2', 'left 2', 'after the compaction']) expect(got).toContain(text);
    expect(got).not.toContain(LOST_RESULT);
    expectValid();
  });

  test('--session and --separate', async () => {
    const [left, right] = await make.overlappingSessions(studio.person, studio.dir);
    studio.commit();
    const shown = studio.cc<{ sessions: { session_id: string }[] }>('show', []);
    const ids = shown.sessions.map(({ session_id }) => session_id);
    expect(ids).toEqual(expect.arrayContaining([left, right].filter((id) => ids.includes(id))));
    const one = restore('--session', ids[0] ?? '');
    const got = await studio.resume(one.sessions[0]?.session_id ?? '', 'and now?');
    expect(got.length).toBeGreaterThan(1);
    expect(restore('--separate').sessions).toHaveLength(ids.length);
    expectValid();
  });

  // 2.0.76 does not tell its commands which session they are of: there a commit that is too quick sees no transcript yet.
  test.each(version === '2.0.76' ? [false] : [false, true])(
    'the agent itself commits (hurried: %s): the unfinished call does not spoil a restore',
    async (hurried) => {
      if (!hurried) await make.resumedSession(studio.person, studio.dir);
      await make.commandSession(
        studio.person,
        studio.dir,
        'echo 1 > file.txt && git add file.txt && git commit -m agent',
        hurried,
      );
      const listed = studio.cc<{ subject: string; contexts: { sessions: object[] }[] }[]>('list', ['--limit', '1']);
      expect(listed[0]?.subject).toBe('agent');
      expect(listed[0]?.contexts).toHaveLength(1);
      const { sessions } = restore();
      const got = await studio.resume(sessions[0]?.session_id ?? '', 'and now?');
      expect(JSON.stringify(got)).toContain('git commit -m agent');
      expect(JSON.stringify(got)).not.toContain(LOST_RESULT);
      expectValid();
    },
  );

  test('a secret in a tool result is redacted before it is stored, and the model is told that the mask is no value', async () => {
    const secret = `ghp_${'a1B2c3D4e5F6'.repeat(3)}`;
    studio.api.when('show the token', bash(`echo token: ${secret}`), 'shown');
    await studio.person.prompt('show the token', { cwd: studio.dir });
    expect(studio.commit().stderr).toMatch(/secrets? redacted/);
    expect(JSON.stringify(studio.cc('show', []))).not.toContain(secret);
    const { sessions, warnings } = restore();
    expect(warnings.join()).toContain('[REDACTED');
    const got = JSON.stringify(await studio.resume(sessions[0]?.session_id ?? '', 'and now?'));
    expect(got).toMatch(/\[REDACTED:[\w-]+\]/);
    expect(got).not.toContain(secret);
    expectValid();
  });

  test('in a clone at another path', async () => {
    await make.resumedSession(studio.person, studio.dir);
    studio.commit();
    const clone = join(studio.person.home, 'another place');
    studio.run('git', ['clone', '--quiet', studio.dir, clone]);
    mkdirSync(join(clone, 'sub'));
    const { sessions } = studio.cc<RestoredJson>('restore', ['--yes'], clone);
    const got = await studio.resume(sessions[0]?.session_id ?? '', 'and now?', clone);
    expect(prompts(got, ['print alpha', 'and then?'])).toEqual(['print alpha', 'and then?']);
    expect(
      results(got)
        .map(({ content }) => JSON.stringify(content))
        .join(),
    ).toContain('alpha');
    expectValid();
  });

  test('a restored session goes on: the next commit continues it, and its context restores again', async () => {
    await make.resumedSession(studio.person, studio.dir);
    studio.commit();
    const first = restore();
    await studio.resume(first.sessions[0]?.session_id ?? '', 'one more thing');
    studio.commit('second');
    const second = restore();
    const got = await studio.resume(second.sessions[0]?.session_id ?? '', 'and now?');
    expect(prompts(got, ['print alpha', 'and then?', 'one more thing'])).toEqual(['print alpha', 'and then?', 'one more thing']);
    expectValid();
  });
});
