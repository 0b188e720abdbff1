import { mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { memoryStore } from '../../storage-adapters/memory/index.ts';
import { s3Store } from '../../storage-adapters/s3/index.ts';
import { sqliteStore } from '../../storage-adapters/sqlite/index.ts';
import { describeS3 } from '../helpers/s3-server.ts';
import { conforms } from './suite.ts';

const folder = () => mkdtempSync(join(tmpdir(), 'cc-store-'));

conforms('memory', () => ({ store: memoryStore() }));
const scratch = folder();
afterAll(() => rmSync(scratch, { recursive: true }));
const inFile = (name: string, content: string) => {
  const path = join(scratch, name);
  writeFileSync(path, content);
  return path;
};
const sqliteBroken = {
  'no folder': () => sqliteStore({ path: join(inFile('file', ''), 'store.db') }),
  'a file that is no database': () => sqliteStore({ path: inFile('store.db', 'no database '.repeat(100)) }),
};
conforms(
  'sqlite',
  () => {
    const home = folder();
    const path = join(home, 'data', 'store.db');
    return { store: sqliteStore({ path }), reopen: () => sqliteStore({ path }), remove: () => rmSync(home, { recursive: true }) };
  },
  { broken: sqliteBroken },
);
describeS3('on a real server', (server) => {
  let bucket: string;
  let prefix = 0;
  beforeAll(async () => {
    bucket = await server().bucket();
  });
  const options = () => ({ bucket, endpoint: server().endpoint, credentials: async () => server().keys });
  const wrongKeys = { accessKeyId: 'AKIA0000000000000000', secretAccessKey: 'never-to-be-told' };
  conforms(
    's3',
    () => {
      prefix += 1;
      const own = { ...options(), prefix: `team/${prefix}` };
      return { store: s3Store(own), reopen: () => s3Store(own) };
    },
    {
      broken: {
        'no bucket': () => s3Store({ ...options(), bucket: 'no-such-bucket' }),
        'no server': () => s3Store({ ...options(), endpoint: 'http://127.0.0.1:1' }),
        'wrong keys': () => s3Store({ ...options(), credentials: async () => wrongKeys }),
      },
      secrets: [wrongKeys.secretAccessKey],
    },
  );
});

test('a store made anew has another id', async () => {
  const [a, b] = [memoryStore(), memoryStore()];
  expect(await a.id()).not.toBe(await b.id());
});

test('sqlite: only its owner can read it, whatever the umask', async () => {
  const home = folder();
  const before = process.umask(0);
  try {
    const store = sqliteStore({ path: join(home, 'data', 'store.db') });
    await store.put('blobs/a', Buffer.from('a'));
    expect(statSync(join(home, 'data')).mode & 0o777).toBe(0o700);
    expect(statSync(join(home, 'data', 'store.db')).mode & 0o777).toBe(0o600);
    await store.close();
  } finally {
    process.umask(before);
    rmSync(home, { recursive: true });
  }
});
