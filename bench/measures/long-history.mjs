import { createHash } from 'node:crypto';
import { closeSync, openSync } from 'node:fs';
import { join } from 'node:path';
import { makeSnapshot, snapshotBytes, snapshotPath } from '../../src/core/snapshot.ts';
import { inTurn, median } from '../paired.mjs';
import { folder, makeWorkplace, PACKAGE, run, timed } from '../workplace.mjs';

const COMMITS = 10_000;
const CC_LIST = join(PACKAGE, 'bin', 'cc-list.js');

/** (f) `cc-list` over 10,000 contexts, against the bare `git log` that finds them. */
export async function longHistory() {
  const { dir, env } = makeWorkplace({ name: 'long-history', hooks: 'none' });
  run('git', ['fast-import', '--quiet'], { cwd: dir, env, input: Array.from(history()).join('') });
  run('git', ['gc', '--quiet'], { cwd: dir, env });
  const output = join(folder('output'), 'out');
  const toFile = (command, args) => () => {
    const fd = openSync(output, 'w');
    try {
      return timed(command, args, { cwd: dir, env, stdio: ['ignore', fd, 'inherit'] });
    } finally {
      closeSync(fd);
    }
  };
  const listed = JSON.parse(run(process.execPath, [CC_LIST, 'history', '--limit', '0', '--json'], { cwd: dir, env }));
  if (listed.filter(({ has_context }) => has_context).length !== COMMITS) throw new Error('cc-list does not list all contexts');
  const samples = await inTurn(
    { rounds: 5, warmups: 1 },
    {
      git: toFile('git', ['log', '--diff-filter=A', 'history', '--', '.cc-snapshots']),
      list: toFile(process.execPath, [CC_LIST, 'history', '--limit', '0']),
    },
  );
  const ratio = median(samples.list.map((took, round) => took / samples.git[round]));
  return [
    {
      id: 'f',
      what: 'cc-list over 10,000 contexts / git log --diff-filter=A',
      target: 3,
      measured: ratio,
      note: `${median(samples.list).toFixed(0)} ms against ${median(samples.git).toFixed(0)} ms`,
    },
  ];
}

/** What `git fast-import` reads: commits of three years, each with its snapshot file and one change. */
function* history() {
  const start = Date.UTC(2023, 0, 2);
  for (let at = 0; at < COMMITS; at += 1) {
    const time = start + at * 9_500_000;
    const { path, bytes } = snapshotFile(at, new Date(time).toISOString());
    const message = `commit ${at}`;
    const code = `change ${at}\n`;
    yield `commit refs/heads/history\ncommitter Alice <alice@example.com> ${Math.floor(time / 1000)} +0000\ndata ${message.length}\n${message}\n`;
    yield `M 100644 inline src/file-${at % 200}.txt\ndata ${code.length}\n${code}\n`;
    yield `M 100644 inline ${path}\ndata ${bytes.length}\n${bytes}\n`;
  }
}

function snapshotFile(at, created_at) {
  const manifestHash = createHash('sha256').update(String(at)).digest('hex');
  const session = {
    session_id: '770e8400-e29b-41d4-a716-446655440002',
    agent: 'claude-code',
    agent_version: '2.1.39',
    account: null,
    cwd: '.',
    directory: null,
    message_count: at,
    redactions: 0,
    started_at: created_at,
    ended_at: created_at,
    files: [],
  };
  const facts = { manifestHash, author: 'Alice <alice@example.com>', earlier: new Map(), covers: [] };
  const snapshot = makeSnapshot({ version: 1, created_at, parent_commit: null, sessions: [session] }, facts);
  return { path: snapshotPath(snapshot.context_id, created_at), bytes: snapshotBytes(snapshot) };
}
