import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { Status } from '../../src/commands/status.ts';
import { talkAndCommit } from '../helpers/history.ts';
import { createWorkplace } from '../helpers/workplace.ts';

test('what the commit has, what the next one would capture, and that capture works', () => {
  using work = createWorkplace();
  const session = work.session();
  expect(work.json<Status>('status')).toMatchObject({
    commit: work.git('rev-parse', 'HEAD'),
    context: null,
    active_sessions: [],
  });
  const one = talkAndCommit(work, session, 'one');
  expect(work.json<Status>('status').active_sessions).toEqual([]);
  session.say('more');
  const status = work.json<Status>('status');
  expect(status).toEqual({
    commit: work.git('rev-parse', 'HEAD'),
    context: { context_ids: [one], sessions: 1, total_messages: 2 },
    active_sessions: [
      { session_id: session.id, modified_at: expect.stringMatching(/^\d{4}-.*Z$/), new_bytes: expect.any(Number) },
    ],
    capture: { ok: true, problems: [] },
    warnings: [],
    store: { url: expect.stringMatching(/^sqlite:/), shared: null, encrypted: false, pending_uploads: 0 },
  });
  expect(status.active_sessions[0]?.new_bytes).toBeGreaterThan(0);
  expect(work.cc('status').stdout).toMatch(/^✓ Capture works/);
  expect(work.dirt()).toBe('');
});

test('capture that does not work is said first and loudly', () => {
  using work = createWorkplace();
  rmSync(join(work.dir, '.git/hooks/pre-commit'));
  const { code, stdout } = work.cc('status');
  expect(code).toBe(0);
  expect(stdout).toMatch(
    /^✗ CAPTURE DOES NOT WORK: commits made now lose their conversation\n {2}! pre-commit in .* Run: cc-init\n/,
  );
  expect(work.json<Status>('status').capture).toMatchObject({ ok: false, problems: [expect.stringContaining('Run: cc-init')] });
});

test('before the first commit', () => {
  using work = createWorkplace({ begin: false });
  const session = work.session();
  session.say('begin');
  expect(work.json<Status>('status')).toMatchObject({
    commit: null,
    context: null,
    active_sessions: [{ session_id: session.id }],
    capture: { ok: true },
  });
  expect(work.cc('status').stdout).toContain('No commit yet');
});
