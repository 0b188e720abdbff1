import { afterAll, beforeAll, expect, test } from 'vitest';
import { StoreError, StoreUnavailable } from '../../src/errors.ts';
import { type Asked, s3Error } from '../../storage-adapters/s3/errors.ts';
import { s3Store } from '../../storage-adapters/s3/index.ts';
import { type Fault, type FaultProxy, faultProxy } from '../helpers/fault-proxy.ts';

const STAYS = StoreError.name;
const PASSES = StoreUnavailable.name;

/** What the SDK makes of real answers: status, code and headers as https://docs.aws.amazon.com/AmazonS3/latest/API/ErrorResponses.html has them. */
let proxy: FaultProxy;
beforeAll(async () => {
  proxy = await faultProxy('http://127.0.0.1:1');
});
afterAll(() => proxy[Symbol.asyncDispose]());

const store = () =>
  s3Store({
    bucket: 'team',
    prefix: 'p',
    endpoint: proxy.endpoint,
    region: 'eu-west-1',
    credentials: async () => ({ accessKeyId: 'AKIAKEY', secretAccessKey: 'SECRETVALUE' }),
  });
type Call = 'put' | 'get' | 'has' | 'list' | 'delete' | 'large';
const CALLS: Record<Call, () => Promise<unknown>> = {
  put: () => store().put('blobs/a', Buffer.from('a')),
  large: () => store().put('blobs/a', Buffer.alloc(9 * 1024 * 1024)),
  get: () => store().get('blobs/a'),
  has: () => store().has(['blobs/a']),
  list: () => Array.fromAsync(store().list('blobs/')),
  delete: () => store().delete('blobs/a'),
};

const answer = (status: number, code: string, more = '', headers: Record<string, string> = {}): Fault => ({
  answer: status,
  headers,
  body: `<?xml version="1.0" encoding="UTF-8"?><Error><Code>${code}</Code><Message>A message.</Message>${more}</Error>`,
});
const earlier = new Date(Date.now() - 20 * 60_000).toUTCString();

test.each<[string, Call[], Fault, string, RegExp]>([
  [
    'no bucket',
    ['put', 'get', 'has', 'list', 'delete', 'large'],
    answer(404, 'NoSuchBucket'),
    STAYS,
    /There is no bucket team at http/,
  ],
  ['a bucket name it does not take', ['get'], answer(400, 'InvalidBucketName'), STAYS, /takes no bucket of the name team/],
  [
    'wrong region, said in a header',
    ['put', 'get', 'has', 'list'],
    answer(301, 'PermanentRedirect', '', { 'x-amz-bucket-region': 'us-west-2' }),
    STAYS,
    /not in the region eu-west-1, but in us-west-2\. Set region=us-west-2/,
  ],
  [
    'wrong region, said in the body',
    ['put', 'get'],
    answer(400, 'AuthorizationHeaderMalformed', '<Region>us-west-2</Region>'),
    STAYS,
    /not in the region eu-west-1, but in us-west-2/,
  ],
  ['wrong region, not said', ['get'], answer(301, 'PermanentRedirect'), STAYS, /not in the region eu-west-1\. Set region=…/],
  [
    'expired credentials',
    ['put', 'get', 'has', 'list'],
    answer(400, 'ExpiredToken'),
    STAYS,
    /credentials have expired\. Log in again/,
  ],
  ['a session token that is none', ['get'], answer(400, 'InvalidToken'), STAYS, /does not take the AWS session token/],
  ['an unknown key', ['get'], answer(403, 'InvalidAccessKeyId'), STAYS, /does not know the access key/],
  ['a wrong secret', ['put', 'get', 'has'], answer(403, 'SignatureDoesNotMatch'), STAYS, /says that the secret key is wrong/],
  [
    'no right to write',
    ['put', 'large'],
    answer(403, 'AccessDenied'),
    STAYS,
    /read-only for you: s3:PutObject is denied|read from the bucket team/,
  ],
  ['no right to remove', ['delete'], answer(403, 'AccessDenied'), STAYS, /read-only for you: s3:DeleteObject is denied/],
  [
    'no right to read',
    ['get', 'has'],
    answer(403, 'AccessDenied'),
    STAYS,
    /may not read from the bucket team.*s3:GetObject.*s3:ListBucket/,
  ],
  ['no right to list', ['list'], answer(403, 'AccessDenied'), STAYS, /may not list the bucket team.*s3:ListBucket/],
  [
    'a clock that is wrong',
    ['put', 'get'],
    answer(403, 'RequestTimeTooSkewed', '', { date: earlier }),
    PASSES,
    /clock of this machine is 20 minutes ahead/,
  ],
  ['an archived object', ['get'], answer(403, 'InvalidObjectState'), STAYS, /p\/blobs\/a was moved to an archive/],
  ['a full bucket', ['put'], answer(403, 'QuotaExceeded'), STAYS, /bucket team takes no more/],
  ['no conditional writes', ['put'], answer(501, 'NotImplemented'), STAYS, /If-None-Match/],
  ['slow down', ['put', 'get', 'has', 'list', 'delete', 'large'], answer(503, 'SlowDown'), PASSES, /too busy \(503 SlowDown\)/],
  ['too many requests', ['put'], answer(429, 'TooManyRequests'), PASSES, /too busy \(429/],
  ['an internal error', ['put', 'get', 'list'], answer(500, 'InternalError'), PASSES, /failed \(500 InternalError\)/],
  ['a gateway that fails', ['put', 'get', 'has'], { answer: 502, body: '<html>Bad Gateway</html>' }, PASSES, /too busy \(502/],
  [
    'a body that came altered',
    ['put'],
    answer(400, 'XAmzContentSHA256Mismatch'),
    PASSES,
    /arrived altered or cut off \(write p\/blobs\/a\)/,
  ],
  ['a slow upload', ['put'], answer(400, 'RequestTimeout'), PASSES, /did not answer in time/],
  [
    'an error without a sentence',
    ['get'],
    answer(400, 'SomethingNew'),
    STAYS,
    /did not read p\/blobs\/a: SomethingNew \(A message\.\)/,
  ],
  [
    'a page for everything',
    ['put', 'get', 'has', 'list', 'delete', 'large'],
    { answer: 200, body: '<html>Log in</html>' },
    STAYS,
    /does not answer as an S3 server/,
  ],
  [
    'a page that is not there',
    ['put', 'get', 'has', 'list'],
    { answer: 404, body: '<html>Not found</html>' },
    STAYS,
    /does not answer as an S3 server/,
  ],
])('%s', async (_, calls, fault, kind, says) => {
  proxy.fault = () => fault;
  for (const call of calls) {
    const error = await CALLS[call]().then(
      () => new Error(`${call} said nothing`),
      (error: Error) => error,
    );
    expect(error).toBeInstanceOf(StoreError);
    const { sentence, next } = error as StoreError;
    expect({ call, kind: error.constructor.name, next: next !== null, sentence }).toEqual({
      call,
      kind,
      next: true,
      sentence: expect.stringMatching(says) as string,
    });
    expect(sentence).not.toMatch(/AKIAKEY|SECRETVALUE|undefined|\[object|UnknownError|NaN/);
  }
});

const asked: Asked = { action: 'read', bucket: 'team', name: 'p/blobs/a', region: 'eu-west-1', endpoint: null };
const error = (code: string, message = 'said by Node') => Object.assign(new Error(message), { code });

test.each<[string, Error, string, RegExp]>([
  ['refused', error('ECONNREFUSED'), PASSES, /nothing answers there/],
  ['no such host', error('ENOTFOUND'), STAYS, /S3 in eu-west-1 cannot be found/],
  ['no name server', error('EAI_AGAIN'), PASSES, /cannot be looked up/],
  ['offline', error('ENETUNREACH'), STAYS, /cannot be reached from here/],
  ['reset', error('ECONNRESET'), PASSES, /connection to S3 in eu-west-1 broke/],
  ['hung up', new Error('socket hang up'), PASSES, /connection to S3 in eu-west-1 broke/],
  ['too late', Object.assign(new Error('x'), { name: 'TimeoutError' }), PASSES, /did not answer in time/],
  ['a certificate of its own', error('DEPTH_ZERO_SELF_SIGNED_CERT'), STAYS, /not trusted.*NODE_EXTRA_CA_CERTS/],
  ['an unknown authority', error('UNABLE_TO_GET_ISSUER_CERT_LOCALLY'), STAYS, /not trusted.*NODE_EXTRA_CA_CERTS/],
  ['an old certificate', error('CERT_HAS_EXPIRED'), STAYS, /out of date/],
  ['the certificate of another', error('ERR_TLS_CERT_ALTNAME_INVALID'), STAYS, /another host name/],
  ['no TLS', error('EPROTO'), STAYS, /does not speak TLS/],
  ['a checksum that does not match', new Error('Checksum mismatch: expected "a" but received "b"'), PASSES, /altered or cut off/],
  ['no region', new Error('Region is missing'), STAYS, /region of the bucket team is not known\. Set region=/],
  ['an error of ours passes', new StoreError('Ours.', 'Next.'), STAYS, /^Ours\. Next\.$/],
])('%s', (_, cause, kind, says) => {
  const error = s3Error(cause, asked);
  expect({ kind: error.constructor.name, sentence: error.sentence }).toEqual({
    kind,
    sentence: expect.stringMatching(says) as string,
  });
});
