import { execFile, execFileSync, spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer as createTlsServer } from 'node:https';
import { connect, createServer, type Server } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { afterEach, beforeAll, describe, expect, test, vi } from 'vitest';
import { StoreError, StoreUnavailable } from '../../src/errors.ts';
import type { BlobStore } from '../../src/storage/blob-store.ts';
import { withRetries } from '../../src/storage/retry.ts';
import { type S3Options, s3Store } from '../../storage-adapters/s3/index.ts';
import { describeS3, type S3Server } from '../helpers/s3-server.ts';

afterEach(() => {
  vi.unstubAllEnvs();
  vi.useRealTimers();
});

const CALLS: Record<string, (store: BlobStore) => Promise<unknown>> = {
  id: (store) => store.id(),
  put: (store) => store.put('blobs/a', Buffer.from('a')),
  'put of 9 MiB': (store) => store.put('blobs/large', Buffer.alloc(9 * 1024 * 1024)),
  get: (store) => store.get('blobs/a'),
  has: (store) => store.has(['blobs/a']),
  'has of many': (store) => store.has(Array.from({ length: 50 }, (_, at) => `blobs/${at}`)),
  list: (store) => Array.fromAsync(store.list('')),
  delete: (store) => store.delete('blobs/a'),
};

/** Every call of these (all when left out) rejects with a sentence that says this, and the next step. */
async function expectRefusals(store: BlobStore, says: RegExp, calls = Object.keys(CALLS)): Promise<void> {
  for (const call of calls) {
    const error = await CALLS[call]!(store).then(
      () => null,
      (error: unknown) => error,
    );
    expect({ call, error }).toEqual({ call, error: expect.any(StoreError) as StoreError });
    const { sentence, next } = error as StoreError;
    expect({ call, sentence, next }).toEqual({
      call,
      sentence: expect.stringMatching(says) as string,
      next: expect.any(String) as string,
    });
  }
  await store.close();
}

const keys = async () => ({ accessKeyId: 'AKIAKEY', secretAccessKey: 'SECRETVALUE' });
const listening = (server: Server) =>
  new Promise<number>((resolve) => server.listen(0, '127.0.0.1', () => resolve((server.address() as { port: number }).port)));

describeS3('a real server refuses', (given) => {
  let server: S3Server;
  let bucket: string;
  beforeAll(async () => {
    server = given();
    bucket = await server.bucket();
  });
  const store = (options: Partial<S3Options> = {}) =>
    s3Store({ bucket, prefix: 'p', endpoint: server.endpoint, credentials: async () => server.keys, ...options });

  test('a wrong secret', () =>
    expectRefusals(
      store({ credentials: async () => ({ ...server.keys, secretAccessKey: 'wrong' }) }),
      /says that the secret key is wrong/,
    ));

  test('an unknown key', () => expectRefusals(store({ credentials: keys }), /does not know the access key/));

  test('a bucket that is not there', () =>
    expectRefusals(store({ bucket: 'no-such-bucket' }), /There is no bucket no-such-bucket at http/));

  test('who has no credentials: nothing is asked, and the server would refuse it', async () => {
    withoutAws();
    await expectRefusals(s3Store({ bucket, prefix: 'p', endpoint: server.endpoint }), /There are no AWS credentials/);
    expect((await fetch(`${server.endpoint}/${bucket}/p/blobs/a`)).status).toBe(403);
  });

  test('the credentials come from the environment, else from the profile', async () => {
    withoutAws();
    vi.stubEnv('AWS_ACCESS_KEY_ID', server.keys.accessKeyId);
    vi.stubEnv('AWS_SECRET_ACCESS_KEY', server.keys.secretAccessKey);
    const own = () => s3Store({ bucket, prefix: 'p', endpoint: server.endpoint });
    await own().put('blobs/environment', Buffer.from('a'));

    const home = mkdtempSync(join(tmpdir(), 'cc-aws-'));
    const { accessKeyId, secretAccessKey } = server.keys;
    const file = `[team]\naws_access_key_id = ${accessKeyId}\naws_secret_access_key = ${secretAccessKey}\n`;
    writeFileSync(join(home, 'credentials'), file);
    withoutAws();
    vi.stubEnv('AWS_SHARED_CREDENTIALS_FILE', join(home, 'credentials'));
    vi.stubEnv('AWS_PROFILE', 'team');
    expect(String(await own().get('blobs/environment'))).toBe('a');
    vi.stubEnv('AWS_PROFILE', 'other');
    await expectRefusals(own(), /There are no AWS credentials of the profile other/, ['get']);
    rmSync(home, { recursive: true });
  });

  test('a clock that is hours off; a second try goes by the clock of the server', async () => {
    vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 3 * 3600_000 });
    await expectRefusals(store(), /clock of this machine is 1[78]\d minutes ahead/, ['get']);
    vi.setSystemTime(Date.now() - 6 * 3600_000);
    await expectRefusals(store(), /clock of this machine is 1[78]\d minutes behind/, ['get']);
    const skewed = withRetries(store(), { baseDelay: 1 });
    await skewed.put('blobs/skewed', Buffer.from('a'));
    expect(String(await skewed.get('blobs/skewed'))).toBe('a');
  });

  test('who may only read to write, and who may only write to read', async () => {
    const reader = await server.user(bucket, ['s3:GetObject', 's3:ListBucket']);
    await store().put('blobs/a', Buffer.from('a'));
    const id = await store().id();
    const reading = store({ credentials: async () => reader });
    expect(await reading.id()).toBe(id);
    expect(String(await reading.get('blobs/a'))).toBe('a');
    expect(await reading.get('blobs/none')).toBeNull();
    expect(await reading.has(['blobs/a', 'blobs/none'])).toEqual(new Set(['blobs/a']));
    expect(await Array.fromAsync(reading.list('blobs/a'))).toEqual(['blobs/a']);
    await expectRefusals(reading, /is read-only for you: s3:PutObject is denied.*Ask its owner for s3:PutObject/, [
      'put',
      'put of 9 MiB',
    ]);
    await expectRefusals(reading, /is read-only for you: s3:DeleteObject is denied/, ['delete']);

    const own = await server.bucket();
    const writer = await server.user(own, ['s3:PutObject']);
    const writing = store({ bucket: own, credentials: async () => writer });
    await writing.put('blobs/b', Buffer.from('b'));
    await store({ bucket: own }).put('blobs/a', Buffer.from('a')); // what it wrote itself Ceph lets it read
    await expectRefusals(writing, /You may not read from the bucket .*: s3:GetObject is denied/, ['get', 'has', 'id']);
    await expectRefusals(writing, /You may not list the bucket .*: s3:ListBucket is denied/, ['list', 'has of many']);
  });
});

describe('no server', () => {
  const store = (endpoint: string, options: Partial<S3Options> = {}) =>
    s3Store({ bucket: 'team', endpoint, credentials: keys, ...options });

  test('nothing listens', async () => {
    const server = createServer();
    const port = await listening(server);
    await new Promise((resolve) => server.close(resolve));
    await expectRefusals(store(`http://127.0.0.1:${port}`), /nothing answers there\. Check the endpoint/);
  });

  test('something listens and never answers', async () => {
    const server = createServer();
    const port = await listening(server);
    const quick = store(`http://127.0.0.1:${port}`, { timeouts: { request: 200 } });
    const begun = performance.now();
    await expectRefusals(quick, /did not answer in time/, ['get', 'put', 'list', 'has']);
    expect(performance.now() - begun).toBeLessThan(5000);
    const error = await store(`http://127.0.0.1:${port}`, { timeouts: { request: 200 } })
      .get('blobs/a')
      .catch((error: unknown) => error);
    expect(error).toBeInstanceOf(StoreUnavailable);
    server.close();
  });

  test('nobody takes the connection', async () => {
    // A program that is stopped takes none; what comes when its queue is full is dropped, as by a firewall.
    const listen =
      "require('net').createServer().listen({ port: 0, host: '127.0.0.1', backlog: 1 }, function () { console.log(this.address().port) })";
    const stopped = spawn(process.execPath, ['-e', listen], { stdio: ['ignore', 'pipe', 'inherit'] });
    const [port] = (await once(stopped.stdout, 'data')) as [Buffer];
    stopped.kill('SIGSTOP');
    const queue = Array.from({ length: 8 }, () => connect(Number(port), '127.0.0.1').on('error', () => {}));
    await sleep(200);
    const begun = performance.now();
    await expectRefusals(store(`http://127.0.0.1:${Number(port)}`, { timeouts: { connect: 300 } }), /did not answer in time/, [
      'get',
    ]);
    expect(performance.now() - begun).toBeLessThan(2000);
    for (const socket of queue) socket.destroy();
    stopped.kill('SIGKILL');
  });

  describe('TLS', () => {
    let home: string;
    const serve = async (host: string) => {
      const pem = (name: string) => join(home, `${host}.${name}`);
      const request = ['req', '-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes', '-days', '2'];
      const name = ['-subj', `/CN=${host}`, '-addext', `subjectAltName=${host === '127.0.0.1' ? 'IP' : 'DNS'}:${host}`];
      execFileSync('openssl', [...request, ...name, '-keyout', pem('key'), '-out', pem('cert')], { stdio: 'ignore' });
      const server = createTlsServer({ key: readFileSync(pem('key')), cert: readFileSync(pem('cert')) }, (_, answer) =>
        answer.end(),
      );
      return { server, port: await listening(server), cert: pem('cert') };
    };
    beforeAll(() => {
      home = mkdtempSync(join(tmpdir(), 'cc-tls-'));
      return () => rmSync(home, { recursive: true });
    });

    test('a certificate that nobody vouches for', async () => {
      const { server, port } = await serve('127.0.0.1');
      await expectRefusals(
        store(`https://127.0.0.1:${port}`),
        /certificate of https:.* is not trusted on this machine.*NODE_EXTRA_CA_CERTS/,
        ['get', 'put'],
      );
      server.close();
    });

    test('with NODE_EXTRA_CA_CERTS it is trusted; what vouches for another host is not', async () => {
      /** What a call says in a process that trusts this certificate. */
      const says = async ({ port, cert }: { port: number; cert: string }) => {
        const adapter = pathToFileURL(join(import.meta.dirname, '../../storage-adapters/s3/index.ts')).href;
        const options = JSON.stringify({ bucket: 'team', endpoint: `https://127.0.0.1:${port}` });
        const call = `s3Store({ ...${options}, credentials: async () => ({ accessKeyId: 'a', secretAccessKey: 'b' }) }).get('blobs/a')`;
        const script = `import { s3Store } from '${adapter}'; await ${call}.catch((error) => console.log(error.sentence));`;
        const env = { ...process.env, NODE_EXTRA_CA_CERTS: cert };
        return (await promisify(execFile)(process.execPath, ['--input-type=module', '-e', script], { env })).stdout;
      };
      const [right, other] = [await serve('127.0.0.1'), await serve('s3.example.com')];
      expect(await says(right)).toMatch(/does not answer as an S3 server/);
      expect(await says(other)).toMatch(/certificate of https:.* is for another host name/);
      right.server.close();
      other.server.close();
    });

    test('TLS where the server speaks none', async () => {
      const server = createServer((socket) => socket.on('error', () => {}).end('HTTP/1.1 400 Bad Request\r\n\r\n'));
      const port = await listening(server);
      await expectRefusals(store(`https://127.0.0.1:${port}`), /does not speak TLS/, ['get']);
      server.close();
    });
  });
});

describe('credentials that cannot be had', () => {
  const store = (options: Partial<S3Options> = {}) => s3Store({ bucket: 'team', endpoint: 'http://127.0.0.1:1', ...options });
  const configured = (text: string) => {
    const home = mkdtempSync(join(tmpdir(), 'cc-aws-'));
    writeFileSync(join(home, 'config'), text);
    withoutAws();
    vi.stubEnv('HOME', home);
    vi.stubEnv('AWS_CONFIG_FILE', join(home, 'config'));
    vi.stubEnv('AWS_PROFILE', 'team');
    return home;
  };

  test('a metadata service that does not answer keeps nobody waiting, and is asked once', async () => {
    withoutAws();
    const silent = createServer();
    vi.stubEnv('AWS_EC2_METADATA_DISABLED', undefined);
    vi.stubEnv('AWS_EC2_METADATA_SERVICE_ENDPOINT', `http://127.0.0.1:${await listening(silent)}`);
    const one = store();
    const begun = performance.now();
    const all = await Promise.allSettled(Array.from({ length: 20 }, (_, at) => one.put(`blobs/${at}`, Buffer.from('a'))));
    expect(new Set(all.map((put) => put.status === 'rejected' && (put.reason as StoreError).message))).toEqual(
      new Set(['There are no AWS credentials.']),
    );
    expect(performance.now() - begun).toBeLessThan(4000);
    const again = performance.now();
    await expectRefusals(one, /There are no AWS credentials/, ['get']);
    expect(performance.now() - again).toBeLessThan(500);
    silent.close();
  });

  test('a program of the profile that takes too long', async () => {
    const home = configured('[profile team]\ncredential_process = sleep 3\n');
    const begun = performance.now();
    await expectRefusals(
      store({ timeouts: { credentials: 200 } }),
      /The AWS credentials of the profile team did not come in time/,
      ['get'],
    );
    expect(performance.now() - begun).toBeLessThan(2000);
    rmSync(home, { recursive: true });
  });

  test('a program of the profile that fails: nothing of what it says is told', async () => {
    const home = configured('[profile team]\ncredential_process = sh -c "echo SECRETVALUE >&2; exit 1"\n');
    await expectRefusals(store(), /^There are no AWS credentials(?!.*SECRETVALUE)/, ['get']);
    rmSync(home, { recursive: true });
  });

  test('a login that was never made or has expired', async () => {
    const session = '[sso-session work]\nsso_region = us-east-1\nsso_start_url = https://example.awsapps.com/start\n';
    const home = configured(`[profile team]\nsso_session = work\nsso_account_id = 123456789012\nsso_role_name = dev\n${session}`);
    await expectRefusals(store(), /AWS login .* has expired or was never made\. Run `aws sso login`/, ['get']);
    const cache = join(home, '.aws/sso/cache');
    mkdirSync(cache, { recursive: true });
    const token = { accessToken: 'SECRETVALUE', expiresAt: '2020-01-01T00:00:00Z' };
    writeFileSync(join(cache, `${createHash('sha1').update('work').digest('hex')}.json`), JSON.stringify(token));
    await expectRefusals(store(), /AWS login .* has expired or was never made\. Run `aws sso login`/, ['get']);
    rmSync(home, { recursive: true });
  });

  test('no region, where there is no endpoint', async () => {
    withoutAws();
    await expectRefusals(s3Store({ bucket: 'team', credentials: keys }), /region of the bucket team is not known\. Set region=/, [
      'get',
      'put',
    ]);
  });
});

/** None of this machine's settings of AWS, and no metadata service. */
function withoutAws(): void {
  for (const name of Object.keys(process.env)) if (name.startsWith('AWS_')) vi.stubEnv(name, undefined);
  vi.stubEnv('AWS_EC2_METADATA_DISABLED', 'true');
  vi.stubEnv('AWS_CONFIG_FILE', '/nonexistent/config');
  vi.stubEnv('AWS_SHARED_CREDENTIALS_FILE', '/nonexistent/credentials');
}
