import { chmodSync, existsSync, globSync, readdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { generateIdentity, identityToRecipient } from 'age-encryption';
import { expect, test, vi } from 'vitest';
import type { Rotated } from '../../src/commands/key-rotate.ts';
import type { Restored } from '../../src/commands/restore.ts';
import type { Status } from '../../src/commands/status.ts';
import { parseTeamKeys } from '../../src/core/team-key.ts';
import { installFolderAdapter } from '../helpers/folder-adapter.ts';
import { expectNoTrace, expectPlainFailure } from '../helpers/plain-sentence.ts';
import type { Ran } from '../helpers/repo.ts';
import { createWorkplace, type Workplace } from '../helpers/workplace.ts';

const STORE = 'npm:folder-adapter';
const CONFIG = '.cc-snapshots/config.json';
const PLANTED = 'the zebra in the server room';

interface Team extends Workplace {
  bucket: string;
  keyFile: string;
  keyId: string;
}

/** A repository with a store that its team shares, a remote, and a key file; encryption is not on yet. */
function team(): Team {
  const work = createWorkplace();
  const bucket = installFolderAdapter(work);
  work.write('.gitignore', 'node_modules\n');
  work.git('init', '--quiet', '--bare', '../remote');
  work.git('remote', 'add', 'origin', '../remote');
  const keyFile = join(work.home, 'team.key');
  const { key_id: keyId } = key<{ key_id: string }>(work, 'new', '--out', keyFile);
  return Object.assign(work, { bucket, keyFile, keyId });
}

function key<T>(work: Workplace, ...args: string[]): T {
  return work.json<T>('cc-context', 'key', ...args);
}

/** Names the store, switches encryption on, commits both; this person uses the key file. */
function encrypted(work: Team): void {
  work.cc('init', '--store', STORE);
  work.git('config', 'cc-context.encryptionKeyFile', work.keyFile);
  key(work, 'require');
  commitSettings(work);
}

function commitSettings(work: Workplace, ...paths: string[]): void {
  work.git('add', '-f', CONFIG, '.gitignore', ...paths);
  work.git('commit', '--quiet', '--allow-empty', '-m', 'settings');
}

const objects = (bucket: string) => globSync('**/*', { cwd: bucket }).filter((path) => statSync(join(bucket, path)).isFile());
const manifests = (bucket: string) => objects(bucket).filter((path) => path.startsWith('manifests/'));
const uploaded = (bucket: string, count: number) =>
  vi.waitUntil(() => manifests(bucket).length === count, { timeout: 20_000, interval: 50 });
/** As on a new machine: no store, and a clone. */
function newMachine(work: Team, name = 'clone'): string {
  for (const end of ['', '-wal', '-shm']) rmSync(join(work.home, `.local/share/cc-context/store.db${end}`), { force: true });
  const clone = join(work.dir, '..', name);
  work.git('clone', '--quiet', '--branch', 'main', '../remote', clone);
  installFolderAdapter(work, clone);
  return clone;
}
/** All files in a folder. */
const everything = (folder: string) =>
  readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name));

test('a team that encrypts: no name and no content in the store, one sentence without the key, restored with it', async () => {
  using work = team();
  work.cc('init', '--store', STORE);
  work.git('config', 'cc-context.encryptionKeyFile', work.keyFile);
  const required = work.cc('cc-context', 'key', 'require');
  expect(required.stdout).toContain(`✓ Nothing will be uploaded that is not encrypted with the key ${work.keyId}.`);
  expect(JSON.parse(readFileSync(join(work.dir, CONFIG), 'utf8'))).toEqual({
    version: 1,
    store: STORE,
    encryption: { required: true, key_id: work.keyId },
  });
  const identity = await generateIdentity();
  const identityFile = join(work.home, 'identity.txt');
  writeFileSync(identityFile, `# created by age-keygen\n${identity}\n`, { mode: 0o600 });
  const wrapped = work.cc(
    'cc-context',
    'key',
    'wrap',
    await identityToRecipient(await generateIdentity()),
    await identityToRecipient(identity),
  );
  expect(wrapped.stdout).toContain('✓ The key is wrapped for 2 recipients. Commit it: git add -f .cc-snapshots/key.age');
  commitSettings(work, '.cc-snapshots/key.age');

  const session = work.session();
  session.say(PLANTED, 'a plain answer');
  work.commit();
  await uploaded(work.bucket, 1);
  expect(work.json<Status>('status').store).toMatchObject({ shared: STORE, encrypted: true, pending_uploads: 0 });
  expect(work.cc('status').stdout).toContain(`Shared store: ${STORE} (encrypted, nothing of this clone waits`);
  expect(work.git('push', '--quiet', 'origin', 'main')).toBe('');

  // What the owner of the store sees.
  const [context] = work.contexts();
  const secrets = [PLANTED, 'plain answer', session.id, (context as string).slice('ctx-'.length), 'file.txt', 'alice'];
  const seen = objects(work.bucket);
  expect(seen.length).toBe(2);
  for (const path of seen) {
    expect(path).toMatch(new RegExp(`^(blobs|manifests)/${work.keyId}/[a-z2-7]{79}$`));
    const bytes = readFileSync(join(work.bucket, path));
    for (const secret of secrets) expect([path.includes(secret), bytes.includes(secret)]).toEqual([false, false]);
    for (const magic of ['CCX1', '{"', '\x28\xb5\x2f\xfd']) expect(bytes.includes(Buffer.from(magic, 'latin1'))).toBe(false);
  }

  const clone = newMachine(work);
  const restore = (env: NodeJS.ProcessEnv = {}): Ran =>
    work.run(process.execPath, [join(work.bin, 'cc-restore'), '--verify', '--yes', '--json', '-C', clone], { env });
  expect(work.cc('init', '--trust', '-C', clone).stdout).toContain(
    `Conversations are shared through ${STORE} from now on, encrypted with the key ${work.keyId}.`,
  );
  expectPlainFailure(
    restore(),
    new RegExp(
      `^The conversations of this repository are encrypted \\(key ${work.keyId}\\), and you have no key\\.\nAsk your team for the key file, .*ageIdentity`,
    ),
  );
  expect(work.cc('list', '--prompts', '-C', clone).stdout).toContain('(the conversation is not in the store on this machine)');
  expect(work.cc('status', '-C', clone).stdout).toContain('and you have no key.');
  const otherKey = 'ab'.repeat(32);
  expectPlainFailure(
    restore({ CC_CONTEXT_KEY: otherKey }),
    /are encrypted with the key [0-9a-f]{32}, and you have another one \([0-9a-f]{32}\)\./,
  );
  expectPlainFailure(restore({ CC_CONTEXT_KEY: 'hunter2' }), /^CC_CONTEXT_KEY is not understood: line 1 is no key of 32 bytes/);
  expectPlainFailure(
    restore({ CC_CONTEXT_KEY_FILE: '/nowhere/key' }),
    /^The key file \/nowhere\/key cannot be read \(ENOENT\)\./,
  );
  const stranger = join(work.home, 'stranger.txt');
  writeFileSync(stranger, `${await generateIdentity()}\n`, { mode: 0o600 });
  expectPlainFailure(restore({ CC_CONTEXT_AGE_IDENTITY: stranger }), /^The team's key was not wrapped for your age identity/);
  expectPlainFailure(
    restore({ CC_CONTEXT_AGE_IDENTITY: work.keyFile }),
    /is no file of age identities\.\nMake one with: age-keygen/,
  );

  // Each way to have the key, each time from a store that has nothing.
  const parsed = parseTeamKeys(readFileSync(work.keyFile, 'utf8'));
  const secret = 'keys' in parsed ? (parsed.keys[0]?.secret.export() as Buffer) : Buffer.alloc(0);
  for (const env of [
    { CC_CONTEXT_AGE_IDENTITY: identityFile },
    { CC_CONTEXT_KEY_FILE: work.keyFile },
    { CC_CONTEXT_KEY: secret.toString('base64') },
    { CC_CONTEXT_KEY: `${otherKey},${secret.toString('hex')}` },
    { CC_CONTEXT_KEY: otherKey, CC_CONTEXT_AGE_IDENTITY: identityFile },
  ]) {
    const ran = restore(env);
    expect([ran.code, ran.stderr]).toEqual([0, '']);
    expect(JSON.parse(ran.stdout) as Restored).toMatchObject({ messages: 2, from_sessions: 1 });
    expect(readFileSync((JSON.parse(ran.stdout) as Restored).sessions[0]?.path as string, 'utf8')).toContain(PLANTED);
    rmSync(join(work.home, '.local/share/cc-context/store.db'), { force: true });
    for (const end of ['-wal', '-shm']) rmSync(join(work.home, `.local/share/cc-context/store.db${end}`), { force: true });
  }

  // The key is in its file, and nowhere else; nothing says it.
  for (const { stdout } of [required, wrapped, work.cc('cc-context', 'key', 'show-id', '--json')])
    expect(stdout).not.toContain(secret.toString('hex'));
  const files = everything(dirname(work.dir)).filter((path) => path !== work.keyFile);
  for (const name of ['repo/.git/cc-context/state.db', 'clone/.git/config', 'repo/.cc-snapshots/key.age'])
    expect(files).toContain(join(dirname(work.dir), name));
  for (const path of files) {
    const bytes = readFileSync(path);
    for (const form of [
      secret,
      secret.toString('hex'),
      secret.toString('base64').slice(0, 40),
      secret.toString('base64url').slice(0, 40),
    ])
      expect(bytes.includes(form), path).toBe(false);
  }
});

test('without the key commits go on, pushes go on or are refused, and nothing is uploaded', async () => {
  using work = team();
  encrypted(work);
  work.git('config', '--unset', 'cc-context.encryptionKeyFile');
  const session = work.session();
  session.say(PLANTED);
  const committed = work.commit();
  expect(committed.stderr).toContain('Captured Claude context');
  const sentence = `The conversations of this repository are encrypted (key ${work.keyId}), and you have no key. Ask your team for the key file, then: git config cc-context.encryptionKeyFile <file>`;
  const pushed = work.run('git', ['push', 'origin', 'main']);
  expect([pushed.code, pushed.stderr]).toEqual([
    0,
    expect.stringContaining(
      `the conversations of this push are not uploaded yet, the next commit or push tries again: ${sentence}`,
    ),
  ]);
  session.say('another');
  work.commit('another');
  const refused = work.run('git', ['-c', 'cc-context.push.require=true', 'push', 'origin', 'main']);
  expect([refused.code, refused.stderr]).toEqual([
    1,
    expect.stringContaining(`the push is refused (push.require), because its conversations could not be uploaded: ${sentence}`),
  ]);
  expectNoTrace(refused.stderr);
  expectPlainFailure(work.cc('cc-context', 'push'), /and you have no key\.\nAsk your team for the key file/);
  expect(work.json<Status>('status')).toMatchObject({
    capture: { ok: true },
    warnings: [sentence],
    store: { encrypted: true, pending_uploads: 2 },
  });
  expect(existsSync(work.bucket)).toBe(false);
  // With it, all of that arrives.
  work.git('config', 'cc-context.encryptionKeyFile', work.keyFile);
  expect(work.cc('cc-context', 'push').stdout).toContain('✓ 2 contexts uploaded');
  expect(manifests(work.bucket)).toHaveLength(2);
});

test('settings that change encryption, or take it away, are asked for anew', () => {
  using work = team();
  encrypted(work);
  const settings = JSON.parse(readFileSync(join(work.dir, CONFIG), 'utf8'));
  for (const encryption of [{ required: true, key_id: '0'.repeat(32) }, { required: false, key_id: work.keyId }, undefined]) {
    work.write(CONFIG, JSON.stringify({ ...settings, encryption }));
    commitSettings(work);
    work.session().say(PLANTED);
    work.commit();
    const pushed = work.run('git', ['push', 'origin', 'main']);
    expect([pushed.code, pushed.stderr]).toEqual([0, expect.stringContaining('is not trusted here')]);
    expect(work.cc('init').stdout).toContain('Nothing goes there until you agree to it');
  }
  expect(existsSync(work.bucket)).toBe(false);
  // Back to what was agreed to: no question.
  work.write(CONFIG, JSON.stringify(settings));
  commitSettings(work);
  expect(work.json<Status>('status').warnings).toEqual([]);
});

test.each([
  ['required without a key', { required: true }, /encryption: required without a key_id/],
  ['a key that is no id', { required: true, key_id: 'team' }, /encryption\.key_id: no id of a key/],
  ['required as a text', { required: 'yes', key_id: '0'.repeat(32) }, /encryption\.required/],
])('%s is not understood, and nothing is uploaded', (_, encryption, said) => {
  using work = team();
  work.write(CONFIG, JSON.stringify({ version: 1, store: STORE, encryption }));
  commitSettings(work);
  work.cc('init', '--trust');
  work.session().say(PLANTED);
  work.commit();
  expectPlainFailure(work.cc('cc-context', 'push'), said);
  expect(existsSync(work.bucket)).toBe(false);
});

test('a store of one’s own: encrypted by choice, and never in the clear again without consent', async () => {
  using work = team();
  work.git('config', 'cc-context.store', STORE);
  work.git('config', 'cc-context.encryption.required', 'true');
  work.git('config', 'cc-context.encryptionKeyFile', work.keyFile);
  work.session().say(PLANTED);
  work.commit();
  await uploaded(work.bucket, 1);
  work.git('config', '--unset', 'cc-context.encryption.required');
  work.session().say('another');
  work.commit();
  expectPlainFailure(work.cc('cc-context', 'push'), /is not trusted here/);
  expect(objects(work.bucket).filter((path) => !path.includes(work.keyId))).toEqual([]);
  expect(work.cc('init', '--trust').stdout).toContain(`Conversations are shared through ${STORE} from now on.`);
  expect(work.cc('cc-context', 'push').code).toBe(0);
  expect(objects(work.bucket).filter((path) => !path.includes(work.keyId)).length).toBeGreaterThan(0);
});

test('switched on later: what is there in the clear is read, and encrypted by a rotation', async () => {
  using work = team();
  work.cc('init', '--store', STORE);
  commitSettings(work);
  work.session().say(PLANTED);
  work.commit();
  await uploaded(work.bucket, 1);
  const plain = objects(work.bucket);
  work.git('config', 'cc-context.encryptionKeyFile', work.keyFile);
  key(work, 'require');
  work.git('config', 'core.hooksPath', '/dev/null'); // this machine uploads no encrypted copy
  commitSettings(work);
  work.git('push', '--quiet', 'origin', 'main');
  const clone = newMachine(work);
  work.git('-C', clone, 'config', 'cc-context.encryptionKeyFile', work.keyFile);
  work.cc('init', '--trust', '-C', clone);
  expect(work.cc('restore', '--yes', 'HEAD~1', '-C', clone).code).toBe(0);
  expect(objects(work.bucket)).toEqual(plain);
  expect(key<Rotated>(work, 'rotate', '-C', clone)).toMatchObject({
    key_id: work.keyId,
    new_key: false,
    objects: plain.length,
    commit: null,
  });
  const sealed = objects(work.bucket);
  expect(sealed).toHaveLength(plain.length);
  for (const path of sealed) expect(path.split('/')[1]).toBe(work.keyId);
  const another = newMachine(work, 'another');
  work.git('-C', another, 'config', 'cc-context.encryptionKeyFile', work.keyFile);
  work.cc('init', '--trust', '-C', another);
  expect(work.cc('restore', '--yes', 'HEAD~1', '-C', another).code).toBe(0);
});

test('rotation: killed at any object it goes on, readable all the while, and then only with the new key', async () => {
  using work = team();
  encrypted(work);
  const session = work.session();
  for (const text of ['one', 'two', 'three']) {
    session.say(`${PLANTED} ${text}`);
    work.commit(text);
  }
  work.git('push', '--quiet', 'origin', 'main');
  await uploaded(work.bucket, 3);
  const before = objects(work.bucket);
  const oldKey = readFileSync(work.keyFile, 'utf8');
  const clone = newMachine(work);
  work.cc('init', '--trust', '-C', clone);
  const pull = (keyText: string) => {
    for (const end of ['', '-wal', '-shm']) rmSync(join(work.home, `.local/share/cc-context/store.db${end}`), { force: true });
    const file = join(work.home, 'reader.key');
    writeFileSync(file, keyText, { mode: 0o600 });
    return work.run(process.execPath, [join(work.bin, 'cc-context'), 'pull', '-C', clone], {
      env: { CC_CONTEXT_KEY_FILE: file },
    });
  };

  // An adapter that kills its process at the n-th change.
  const adapter = join(work.dir, 'node_modules/folder-adapter');
  renameSync(join(adapter, 'index.js'), join(adapter, 'inner.js'));
  writeFileSync(
    join(adapter, 'index.js'),
    `import open from './inner.js';
export default (url) => {
  const store = open(url);
  let left = Number(process.env.KILL_AT ?? Infinity);
  const step = (name) => async (...args) => { if (left-- === 0) process.kill(process.pid, 'SIGKILL'); return store[name](...args); };
  return { ...store, put: step('put'), delete: step('delete') };
};
`,
  );
  for (const at of [0, 1, 5, 2]) {
    const killed = work.run(process.execPath, [join(work.bin, 'cc-context'), 'key', 'rotate'], { env: { KILL_AT: String(at) } });
    expect(killed.code).toBe(-1);
    expect(pull(readFileSync(work.keyFile, 'utf8')).stdout).toMatch(/^✓ 3 contexts on this machine, verified/);
  }
  const done = key<Rotated>(work, 'rotate');
  expect(done).toMatchObject({ new_key: false, problems: [], commit: CONFIG, kept: false });
  expect(done.key_id).not.toBe(work.keyId);
  expect(readFileSync(work.keyFile, 'utf8')).toMatch(new RegExp(`# ${done.key_id}\n.*\n# ${work.keyId}\n`));
  expect(statSync(work.keyFile).mode & 0o777).toBe(0o600);
  const after = objects(work.bucket);
  expect(after).toHaveLength(before.length);
  for (const path of after) expect(path.split('/')[1]).toBe(done.key_id);

  expectPlainFailure(
    work.cc('cc-context', 'key', 'rotate'),
    /^The settings that name the new key are not committed yet\.\ngit add -f/,
  );
  commitSettings(work);
  work.git('push', '--quiet', 'origin', 'main');
  expect(pull(readFileSync(work.keyFile, 'utf8')).code).toBe(0);
  expectPlainFailure(pull(oldKey), new RegExp(`encrypted with another key \\(${done.key_id}\\) than yours \\(${work.keyId}\\)`));
  // The clone learns of it, is asked, and is told which key it needs.
  work.git('-C', clone, 'pull', '--quiet');
  expect(work.cc('init', '--trust', '-C', clone).stdout).toContain(`encrypted with the key ${done.key_id}`);
  expectPlainFailure(
    pull(oldKey),
    new RegExp(`encrypted with the key ${done.key_id}, and you have another one \\(${work.keyId}\\)`),
  );
  const newKey = readFileSync(work.keyFile, 'utf8').split('\n').slice(0, 3).join('\n');
  expect(pull(newKey).stdout).toMatch(/^✓ 3 contexts/);

  // Nothing is left to do, and what was uploaded counts as uploaded.
  expect(key<Rotated>(work, 'rotate', '--finish')).toMatchObject({ new_key: false, objects: 0, commit: null });
  // Again, with the old ones kept until everybody has the new key.
  const kept = key<Rotated>(work, 'rotate', '--keep');
  expect(kept).toMatchObject({ new_key: true, kept: true, objects: before.length });
  expect(objects(work.bucket)).toHaveLength(2 * before.length);
  expect(pull(newKey).stdout).toMatch(/^✓ 3 contexts/);
  commitSettings(work);
  expect(key<Rotated>(work, 'rotate')).toMatchObject({ new_key: false, key_id: kept.key_id, objects: before.length });
  expect(objects(work.bucket)).toHaveLength(before.length);
});

test('an altered object is named, whatever of it was altered', async () => {
  using work = team();
  encrypted(work);
  work.session().say(PLANTED);
  work.commit();
  work.git('push', '--quiet', 'origin', 'main');
  await uploaded(work.bucket, 1);
  const clone = newMachine(work);
  work.cc('init', '--trust', '-C', clone);
  work.git('-C', clone, 'config', 'cc-context.encryptionKeyFile', work.keyFile);
  for (const folder of ['manifests', 'blobs']) {
    const path = join(work.bucket, objects(work.bucket).find((name) => name.startsWith(folder)) as string);
    const whole = readFileSync(path);
    for (const altered of [
      Buffer.alloc(0),
      whole.subarray(0, -1),
      Buffer.concat([whole, Buffer.of(0)]),
      flipped(whole, 0),
      flipped(whole, 10),
      flipped(whole, 25),
      flipped(whole, whole.length >> 1),
    ]) {
      writeFileSync(path, altered);
      expectPlainFailure(
        work.cc('restore', '--yes', '-C', clone),
        new RegExp(`^The stored object ${folder}/[0-9a-f]{64} is damaged\\.`),
      );
    }
    writeFileSync(path, whole);
  }
  expect(work.cc('restore', '--yes', '-C', clone).code).toBe(0);
});

const flipped = (bytes: Buffer, at: number) => {
  const altered = Buffer.from(bytes);
  altered[at] = (altered[at] as number) ^ 0x10;
  return altered;
};

test('key files: private whatever the umask, never over another file, never where they could be committed', () => {
  using work = team();
  expect(statSync(work.keyFile).mode & 0o777).toBe(0o600);
  const cc = (...args: string[]) => work.cc('cc-context', 'key', ...args);
  const text = readFileSync(work.keyFile, 'utf8');
  expectPlainFailure(cc('new', '--out', work.keyFile), /^There is a file .*team\.key already\.\nName another file/);
  expect(readFileSync(work.keyFile, 'utf8')).toBe(text);
  expectPlainFailure(
    cc('new', '--out', join(work.dir, 'team.key')),
    /lies in a work tree and Git does not ignore it: the key could be committed\./,
  );
  expect(existsSync(join(work.dir, 'team.key'))).toBe(false);
  expectPlainFailure(cc('new', '--out', join(work.dir, 'no/such/folder')), /cannot be written \(ENOENT\)/);
  expect(cc('new', '--out', join(work.dir, 'node_modules/team.key')).code).toBe(0);
  expect(
    work.run('sh', [
      '-c',
      `umask 0; "$0" "$@"`,
      process.execPath,
      join(work.bin, 'cc-context'),
      'key',
      'new',
      '--out',
      join(work.home, 'open.key'),
    ]).code,
  ).toBe(0);
  expect(statSync(join(work.home, 'open.key')).mode & 0o777).toBe(0o600);
  expect(cc('new').code).toBe(2);

  expectPlainFailure(cc('show-id'), /and you have no key\./);
  work.git('config', 'cc-context.encryptionKeyFile', '~/team.key');
  expect(cc('show-id').stdout).toBe(`You have 1 key (from ${work.keyFile}):\n  - ${work.keyId}\n`);
  expect(cc('show-id').stderr).toBe('');
  chmodSync(work.keyFile, 0o640);
  expect(cc('show-id').stderr).toBe(`! Others on this machine can read ${work.keyFile}. Run: chmod 600 ${work.keyFile}\n`);
  writeFileSync(work.keyFile, 'not a key');
  expectPlainFailure(cc('show-id'), /team\.key is not understood: line 1 is no key of 32 bytes in hex or base64\./);

  expectPlainFailure(cc('rotate'), /has no store that a team shares/);
  work.cc('init', '--store', STORE);
  commitSettings(work);
  expectPlainFailure(cc('rotate'), /^What this repository uploads is not encrypted\.\n/);
  expectPlainFailure(cc('wrap', 'age1nobody'), /team\.key is not understood/);
  writeFileSync(work.keyFile, text);
  expectPlainFailure(cc('wrap', 'age1nobody'), /^"age1nobody" is no recipient of age\./);
  const identity = `AGE-SECRET-KEY-1${'Q'.repeat(58)}`;
  const refused = cc('wrap', identity);
  expectPlainFailure(refused, /^A secret identity is no recipient of age\./);
  expect(refused.stderr).not.toContain(identity);
});
