import { execFile, spawn } from 'node:child_process';
import { randomBytes, randomUUID } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { text } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { isMainThread } from 'node:worker_threads';
import { CreateBucketCommand, PutBucketPolicyCommand, S3Client } from '@aws-sdk/client-s3';
import { beforeAll, describe, test } from 'vitest';

export interface S3Keys {
  accessKeyId: string;
  secretAccessKey: string;
}

/** A real S3 server (Ceph's gateway) on loopback. */
export interface S3Server {
  endpoint: string;
  /** Of the user who owns all buckets. */
  keys: S3Keys;
  /** Makes a bucket; its name. */
  bucket(): Promise<string>;
  /** Makes a user who may do only these actions (`s3:GetObject` …) in a bucket. */
  user(bucket: string, actions: string[]): Promise<S3Keys>;
}

const PROGRAMS = ['ceph-mon', 'ceph-osd', 'radosgw', 'radosgw-admin'];
const installed = PROGRAMS.every((name) =>
  (process.env['PATH'] ?? '').split(delimiter).some((dir) => existsSync(join(dir, name))),
);
const INSTALL = 'apt-get install --no-install-recommends radosgw ceph-mon ceph-osd';

/**
 * A `describe` whose tests have an S3 server. The first file of a test run that asks for it starts it (1 to 2 s); it ends with the run.
 * Where it is not installed the tests are left out on a developer's machine, and fail where CI is set.
 */
export function describeS3(name: string, body: (server: () => S3Server) => void): void {
  if (!installed && !process.env['CI']) {
    describe.skip(`${name} (no S3 server here: ${INSTALL})`, () => body(() => undefined as never));
    return;
  }
  describe(name, () => {
    if (!installed) {
      test('the S3 server is installed', () => {
        throw new Error(`There is no S3 server to test against. Install it: ${INSTALL}`);
      });
      return;
    }
    let server: S3Server;
    beforeAll(async () => {
      server = await s3Server();
    });
    body(() => server);
  });
}

interface Started {
  folder: string;
  endpoint: string;
  keys: S3Keys;
}

/** The server of this test run, started unless another file did. */
export async function s3Server(): Promise<S3Server> {
  // Vitest's own process: the server is of use, and stays, as long as that runs.
  const owner = isMainThread ? process.ppid : process.pid;
  const folder = join(tmpdir().length > 40 ? '/tmp' : tmpdir(), `cc-s3-${owner}`);
  const note = join(folder, 'server.json');
  if (isFirst(folder)) await start(folder, owner, note);
  for (const end = Date.now() + 60_000; !existsSync(note); await sleep(50))
    if (Date.now() > end) throw new Error('The S3 server that another test file started is not ready after a minute.');
  return access(JSON.parse(readFileSync(note, 'utf8')) as Started);
}

function isFirst(folder: string): boolean {
  try {
    mkdirSync(folder, { mode: 0o700 });
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false;
    throw error;
  }
}

async function start(folder: string, owner: number, note: string): Promise<void> {
  const [port, monitor] = await freePorts();
  const keys = { accessKeyId: randomBytes(10).toString('hex'), secretAccessKey: randomBytes(20).toString('hex') };
  const script = join(import.meta.dirname, 's3-up.sh');
  const child = spawn('bash', [script, folder, port, monitor, keys.accessKeyId, keys.secretAccessKey, owner].map(String), {
    stdio: ['ignore', 'pipe', 'ignore'],
    detached: true,
  });
  child.unref();
  const said = await text(child.stdout);
  if (said !== 'ready\n') throw new Error(`The S3 server did not start:\n${said}`);
  const started: Started = { folder, endpoint: `http://127.0.0.1:${port}`, keys };
  writeFileSync(`${note}.new`, JSON.stringify(started));
  renameSync(`${note}.new`, note);
}

function access({ folder, endpoint, keys }: Started): S3Server {
  const client = new S3Client({ endpoint, region: 'us-east-1', forcePathStyle: true, credentials: keys });
  return {
    endpoint,
    keys,
    async bucket() {
      const name = `test-${randomUUID()}`;
      await client.send(new CreateBucketCommand({ Bucket: name }));
      return name;
    },
    async user(bucket, actions) {
      const uid = `user-${randomUUID()}`;
      const admin = ['-c', join(folder, 'ceph.conf'), '-n', 'client.rgw', 'user', 'create', '--uid', uid, '--display-name', uid];
      const { stdout } = await promisify(execFile)('radosgw-admin', admin);
      const [made] = (JSON.parse(stdout) as { keys: { access_key: string; secret_key: string }[] }).keys;
      const statement = {
        Effect: 'Allow',
        Principal: { AWS: [`arn:aws:iam:::user/${uid}`] },
        Action: actions,
        Resource: [`arn:aws:s3:::${bucket}`, `arn:aws:s3:::${bucket}/*`],
      };
      const policy = { Version: '2012-10-17', Statement: [statement] };
      await client.send(new PutBucketPolicyCommand({ Bucket: bucket, Policy: JSON.stringify(policy) }));
      return { accessKeyId: made!.access_key, secretAccessKey: made!.secret_key };
    },
  };
}

async function freePorts(): Promise<[number, number]> {
  const servers = [createServer(), createServer()];
  const ports = await Promise.all(
    servers.map(
      (server) =>
        new Promise<number>((resolve) =>
          server.listen(0, '127.0.0.1', () => resolve((server.address() as { port: number }).port)),
        ),
    ),
  );
  servers.forEach((server) => server.close());
  return ports as [number, number];
}
