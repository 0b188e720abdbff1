import { randomBytes } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { describe, expect, test, vi } from 'vitest';
import type { Snapshot } from '../../src/core/snapshot.ts';
import { openDatabase } from '../../storage-adapters/sqlite/database.ts';
import { noted } from '../helpers/ownership.ts';
import { expectNoTrace, expectPlainFailure } from '../helpers/plain-sentence.ts';
import { restoredTranscript } from '../helpers/restored.ts';
import { storePath } from '../helpers/store-file.ts';
import { createWorkplace, type Workplace } from '../helpers/workplace.ts';

function alter(work: Workplace, sql: string, ...values: (string | Buffer)[]): void {
  const database = openDatabase(storePath(work), { timeout: 1000, durable: true });
  expect(Number(database.prepare(sql).run(...values).changes)).toBeGreaterThan(0);
  database.close();
}

function object(work: Workplace, prefix: string): { key: string; bytes: Buffer } {
  const database = openDatabase(storePath(work), { timeout: 1000, durable: true });
  const row = database.prepare('SELECT key, bytes FROM object WHERE key LIKE ? LIMIT 1').get(`${prefix}%`);
  database.close();
  return { key: row?.['key'] as string, bytes: Buffer.from(row?.['bytes'] as Buffer) };
}

function flipped(bytes: Buffer, at: number): Buffer {
  const result = Buffer.from(bytes);
  result[at] = (result[at] as number) ^ 1;
  return result;
}

describe.each(['blobs/', 'manifests/'])('an object of %s', (prefix) => {
  const damages: [string, (work: Workplace, found: { key: string; bytes: Buffer }) => void][] = [
    ['deleted', (work, { key }) => alter(work, 'DELETE FROM object WHERE key = ?', key)],
    ['truncated', (work, { key, bytes }) => alter(work, 'UPDATE object SET bytes = ? WHERE key = ?', bytes.subarray(0, -5), key)],
    ['emptied', (work, { key }) => alter(work, 'UPDATE object SET bytes = ? WHERE key = ?', Buffer.alloc(0), key)],
    [
      'of another kind',
      (work, { key }) =>
        alter(work, 'UPDATE object SET bytes = ? WHERE key = ?', Buffer.from('not ours at all, but long enough'), key),
    ],
    [
      'with a bit flipped in the header',
      (work, { key, bytes }) => alter(work, 'UPDATE object SET bytes = ? WHERE key = ?', flipped(bytes, 8), key),
    ],
    [
      'with a bit flipped at the end',
      (work, { key, bytes }) => alter(work, 'UPDATE object SET bytes = ? WHERE key = ?', flipped(bytes, bytes.length - 6), key),
    ],
    [
      'that claims to be huge',
      (work, { key, bytes }) =>
        alter(
          work,
          'UPDATE object SET bytes = ? WHERE key = ?',
          Buffer.concat([bytes.subarray(0, 5), Buffer.from([255, 255, 255, 255]), bytes.subarray(9)]),
          key,
        ),
    ],
  ];
  test.each(damages)('%s is named, and nothing is written', (_, damage) => {
    using work = createWorkplace();
    const session = work.session();
    session.say('the question');
    work.commit();
    const found = object(work, prefix);
    damage(work, found);
    const before = readdirSync(dirname(session.path));
    for (const command of ['restore', 'show']) expectPlainFailure(work.cc(command), new RegExp(found.key));
    expect(readdirSync(dirname(session.path))).toEqual(before);
    expect(work.cc('list', '--prompts').stdout).toContain('not in the store on this machine');
  });
});

test.each(['blobs/', 'manifests/'])('a valid object in the place of another: %s', (prefix) => {
  using work = createWorkplace();
  const session = work.session();
  session.say('the question');
  work.commit();
  const other = object(work, prefix);
  session.say('and on');
  work.commit();
  const database = openDatabase(storePath(work), { timeout: 1000, durable: true });
  database.prepare('UPDATE object SET bytes = ? WHERE key LIKE ?').run(other.bytes, `${prefix}%`);
  database.close();
  expectPlainFailure(work.cc('restore', '--yes'), new RegExp(`${prefix}[0-9a-f]{64} is damaged`));
});

test('a snapshot file that names the manifest of another context', () => {
  using work = createWorkplace();
  const session = work.session();
  session.say('the question');
  work.commit();
  const [path] = work.git('ls-files', '.cc-snapshots/*.json').split('\n') as [string];
  const snapshot = JSON.parse(readFileSync(`${work.dir}/${path}`, 'utf8')) as Snapshot;
  const forged = 'f'.repeat(64);
  work.write(
    path.replace(snapshot.manifest_hash, forged),
    JSON.stringify({ ...snapshot, context_id: `ctx-${forged}`, manifest_hash: forged }),
  );
  work.git('add', '.cc-snapshots');
  work.git('commit', '--quiet', '--no-verify', '-m', 'forged');
  expectPlainFailure(work.cc('restore'), new RegExp(`missing: manifests/${forged}`));
});

const losses: [string, string][] = [
  ['missing', "DELETE FROM object WHERE key LIKE 'blobs/%'"],
  ['damaged', "UPDATE object SET bytes = substr(bytes, 1, length(bytes) - 5) WHERE key LIKE 'blobs/%'"],
];
test.each(losses)('what is %s is stored anew by the next capture, for every context that has it', async (_, loss) => {
  using work = createWorkplace();
  const session = work.session();
  for (let megabytes = 0; megabytes < 6; megabytes += 1) session.say(randomBytes(500_000).toString('hex'), `answer ${megabytes}`);
  work.commit();
  await noted(work);
  const before = readFileSync(session.path);
  alter(work, loss);
  session.say('and on');
  expectNoTrace(work.commit().stderr);
  // What is found damaged only when the new is packed is mended in the background.
  await vi.waitUntil(() => work.cc('restore', '--dry-run').code === 0, { timeout: 20_000, interval: 100 });
  expect(restoredTranscript(work).equals(readFileSync(session.path))).toBe(true);
  expect(restoredTranscript(work, 'HEAD~1').equals(before)).toBe(true);
});
