import { mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeAll, expect, test } from 'vitest';
import { memoryStore } from '../../storage-adapters/memory/index.ts';
import { s3Store } from '../../storage-adapters/s3/index.ts';
import { sqliteStore } from '../../storage-adapters/sqlite/index.ts';
import { describeS3 } from '../helpers/s3-server.ts';
import { conforms } from './suite.ts';

const folder = () => mkdtempSync(join(tmpdir(), 'cc-store-'));

conforms('memory', () => ({ store: memoryStore() }));
conforms('sqlite', () => {
  const home = folder();
  const path = join(home, 'data', 'store.db');
  return { store: sqliteStore({ path }), reopen: () => sqliteStore({ path }), remove: () => rmSync(home, { recursive: true }) };
});
describeS3('on a real server', (server) => {
  let bucket: string;
  let prefix = 0;
  beforeAll(async () => {
    bucket = await server().bucket();
  });
  conforms('s3', () => {
    prefix += 1;
    const options = { bucket, prefix: `team/${prefix}`, endpoint: server().endpoint, credentials: async () => server().keys };
    return { store: s3Store(options), reopen: () => s3Store(options) };
  });
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
