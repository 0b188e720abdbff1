import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { deflateSync, inflateSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import { type VerifyResult, verify } from '../../src/commands/verify.ts';
import { openDatabase } from '../../storage-adapters/sqlite/database.ts';
import { installFolderAdapter } from '../helpers/folder-adapter.ts';
import { talkAndCommit } from '../helpers/history.ts';
import { settled } from '../helpers/settled.ts';
import { storePath } from '../helpers/store-file.ts';
import { createWorkplace, type Workplace } from '../helpers/workplace.ts';

function objects(work: Workplace): Map<string, Buffer> {
  const database = openDatabase(storePath(work), { timeout: 5000, durable: true });
  const rows = database.prepare("SELECT key, bytes FROM object WHERE key LIKE 'blobs/%' OR key LIKE 'manifests/%'").all();
  database.close();
  return new Map(rows.map(({ key, bytes }) => [key as string, Buffer.from(bytes as Buffer)]));
}

/** Verifies in this process, with the work's own home. */
async function verified(work: Workplace, where: 'local' | 'both' = 'both'): Promise<VerifyResult> {
  const before = process.env['CC_CONTEXT_HOME'];
  process.env['CC_CONTEXT_HOME'] = join(work.home, '.local/share/cc-context');
  try {
    return await verify({ cwd: work.dir, where });
  } finally {
    if (before === undefined) delete process.env['CC_CONTEXT_HOME'];
    else process.env['CC_CONTEXT_HOME'] = before;
  }
}

/** Two sessions, of which one grows: blobs with and without a base. */
function captured(): Workplace {
  const work = createWorkplace();
  const [one, other] = [work.session(), work.session()];
  talkAndCommit(work, one, 'one');
  other.say('x');
  talkAndCommit(work, one, 'two');
  return work;
}

test('what is whole, of all branches; one session in several commits is read once', () => {
  using work = captured();
  work.git('checkout', '--quiet', '-b', 'other', 'HEAD~1');
  talkAndCommit(work, work.session(), 'three');
  work.git('checkout', '--quiet', 'main');
  const whole = work.json<VerifyResult>('cc-context', 'verify');
  expect(whole).toMatchObject({ commits: 3, contexts: 3, manifests: 3, problems: [], purged: [] });
  expect(whole.blobs).toBe([...objects(work).keys()].filter((key) => key.startsWith('blobs/')).length);
  const { code, stdout, stderr } = work.cc('cc-context', 'verify', 'main');
  expect([code, stderr]).toEqual([0, '']);
  expect(stdout).toMatch(/^✓ Whole: 2 contexts of 2 commits \(2 manifests, \d blobs, \d+ kB of conversation\) in sqlite:/);
});

test('an empty repository has nothing to verify', () => {
  using work = createWorkplace({ begin: false });
  expect(work.json<VerifyResult>('cc-context', 'verify')).toMatchObject({ commits: 0, contexts: 0, problems: [] });
});

describe('every byte', () => {
  test('of every object: the object is named, or says the same', { timeout: 300_000 }, async () => {
    using work = captured();
    await settled(work);
    const all = objects(work);
    expect(all.size).toBeGreaterThan(4);
    const database = openDatabase(storePath(work), { timeout: 5000, durable: false });
    const update = database.prepare('UPDATE object SET bytes = ? WHERE key = ?');
    let [named, same] = [0, 0];
    for (const [key, bytes] of all) {
      for (let at = 0; at < bytes.length; at += 1) {
        const altered = Buffer.from(bytes);
        altered[at] = (altered[at] as number) ^ (1 << (at % 8));
        update.run(altered, key);
        const { problems } = await verified(work);
        if (problems.length === 0) same += 1;
        else {
          named += 1;
          expect(problems.some(({ sentence }) => sentence.includes(key))).toBe(true);
          expect(problems.every(({ commits }) => commits.length > 0)).toBe(true);
        }
      }
      update.run(bytes, key);
    }
    database.close();
    expect((await verified(work)).problems).toEqual([]);
    // Loose or packed, a flag of zstd that this content does not need: the hash of the content is the judge.
    expect(same).toBeLessThan(all.size * 3);
    expect(named).toBeGreaterThan(1000);
  });

  test('of a snapshot file, as Git keeps it and as it says', { timeout: 300_000 }, async () => {
    using work = captured();
    const [path = ''] = work.git('ls-files', '.cc-snapshots/*.json').split('\n');
    const oid = work.git('rev-parse', `HEAD:${path}`);
    const file = join(work.dir, '.git/objects', oid.slice(0, 2), oid.slice(2));
    work.run('chmod', ['u+w', file]);
    const stored = readFileSync(file);
    const content = inflateSync(stored);
    const forms: [Buffer, (bytes: Buffer) => Buffer][] = [
      [stored, (bytes) => bytes],
      [content, (bytes) => deflateSync(bytes)],
    ];
    for (const [bytes, form] of forms) {
      for (let at = 0; at < bytes.length; at += 1) {
        const altered = Buffer.from(bytes);
        altered[at] = (altered[at] as number) ^ (1 << (at % 8));
        writeFileSync(file, form(altered));
        const { problems } = await verified(work);
        if (problems.length === 0) expect(inflateSync(form(altered)).equals(content)).toBe(true);
        else expect(problems.map(({ sentence }) => sentence)).toEqual([expect.stringContaining(path)]);
      }
    }
    writeFileSync(file, stored);
    expect((await verified(work)).problems).toEqual([]);
  });
});

test('a missing blob, and all that is compressed against it, with the commits that need them', async () => {
  using work = createWorkplace();
  const session = work.session();
  for (const subject of ['one', 'two', 'three']) talkAndCommit(work, session, subject);
  await settled(work);
  const database = openDatabase(storePath(work), { timeout: 5000, durable: true });
  const first = database.prepare("SELECT key FROM object WHERE key LIKE 'blobs/%' ORDER BY rowid LIMIT 1").get()?.[
    'key'
  ] as string;
  database.prepare('DELETE FROM object WHERE key = ?').run(first);
  database.close();
  const { code, stdout, stderr } = work.cc('cc-context', 'verify', '--json');
  expect([code, stderr]).toEqual([1, '']);
  const { problems } = JSON.parse(stdout) as VerifyResult;
  expect(problems).toHaveLength(1);
  expect(problems[0]).toMatchObject({ object: first, kind: 'missing' });
  expect(problems[0]?.commits).toHaveLength(3);
  expect(work.cc('cc-context', 'verify', 'HEAD~3').code).toBe(0);
  expect(work.cc('cc-context', 'verify').stdout).toMatch(
    new RegExp(`✗ 1 problem: .*\\n  - The stored object ${first} is missing; compressed against it: blobs/.*Needed by ctx-`),
  );
});

test('a snapshot file that says something else than its manifest', () => {
  using work = createWorkplace();
  talkAndCommit(work, work.session(), 'one');
  const path = work.git('ls-files', '.cc-snapshots/*.json');
  const said = JSON.parse(readFileSync(join(work.dir, path), 'utf8'));
  work.git('rm', '--quiet', '--cached', path);
  work.git('commit', '--quiet', '--no-verify', '-m', 'away');
  work.write(path, JSON.stringify({ ...said, sessions: [{ ...said.sessions[0], message_count: 7 }] }));
  work.git('add', path);
  work.git('commit', '--quiet', '--no-verify', '-m', 'forged');
  const { problems } = JSON.parse(work.cc('cc-context', 'verify', '--json').stdout) as VerifyResult;
  expect(problems.map(({ sentence }) => sentence)).toEqual([
    expect.stringMatching(
      /^The snapshot file of ctx-.* in commit .* does not say what its manifest says \(message_count of session/,
    ),
  ]);
});

test('the store of this machine, the team’s, and both as a restore reads them', () => {
  using work = createWorkplace();
  const bucket = installFolderAdapter(work);
  work.git('config', 'cc-context.store', 'npm:folder-adapter');
  talkAndCommit(work, work.session(), 'one');
  expect(work.cc('cc-context', 'push').code).toBe(0);
  for (const where of [[], ['--local'], ['--shared']]) expect(work.cc('cc-context', 'verify', ...where).code).toBe(0);
  const [manifest = ''] = work.contexts().map((id) => `manifests/${id.slice(4)}`);
  const there = readFileSync(join(bucket, manifest));
  there[there.length - 6] = (there[there.length - 6] as number) ^ 1;
  writeFileSync(join(bucket, manifest), there);
  expect([[], ['--local'], ['--shared']].map((where) => work.cc('cc-context', 'verify', ...where).code)).toEqual([0, 0, 1]);
  const database = openDatabase(storePath(work), { timeout: 5000, durable: true });
  database.prepare('DELETE FROM object WHERE key = ?').run(manifest);
  database.close();
  expect(work.cc('cc-context', 'verify', '--local').stdout).toContain(`${manifest} is missing. Needed by ctx-`);
  expect(work.cc('cc-context', 'verify').stdout).toContain(`${manifest} is damaged. Needed by ctx-`);
});
