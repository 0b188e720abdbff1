import { StoreError, StoreUnavailable } from '../../src/errors.ts';
import type { Action, Asked } from './errors.ts';

/** What the server, the SDK or the network said. */
export interface Failure extends Asked {
  cause: unknown;
  code: string;
  /** HTTP status, 0 without an answer. */
  status: number;
  message: string;
  headers: Record<string, string | undefined>;
  /** The server, as people know it. */
  where: string;
}

type Sentence = (failure: Failure) => StoreError;

const stays =
  (what: (failure: Failure) => string, next: string | ((failure: Failure) => string)): Sentence =>
  (failure) =>
    new StoreError(what(failure), typeof next === 'string' ? next : next(failure), { cause: failure.cause });
const passes =
  (what: (failure: Failure) => string, next: string): Sentence =>
  (failure) =>
    new StoreUnavailable(what(failure), next, { cause: failure.cause });

const PERMISSION: Record<Action, string> = {
  read: 's3:GetObject',
  write: 's3:PutObject',
  list: 's3:ListBucket',
  remove: 's3:DeleteObject',
};
const LOGIN = 'Log in again (`aws sso login`, or new keys in the environment or the profile) and try again.';
const KEYS = 'Check AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, or the profile in AWS_PROFILE.';
const LATER = 'Try again later.';
const NETWORK = 'Check the network (VPN, proxy), then try again.';

const busy = passes(({ where, status, code }) => `${where} is too busy (${status} ${code}).`, LATER);
export const broken = passes(({ where, action, name }) => `The connection to ${where} broke (${action} ${name}).`, NETWORK);
export const altered = passes(
  ({ where, action, name }) => `What was sent between here and ${where} arrived altered or cut off (${action} ${name}).`,
  'Try again; if it stays so, look for a proxy or a disk that changes data.',
);
const slow = passes(({ where, action, name }) => `${where} did not answer in time (${action} ${name}).`, NETWORK);
const offline = stays(({ where }) => `${where} cannot be reached from here.`, NETWORK);
const noName = stays(
  ({ where }) => `${where} cannot be found: its name has no address.`,
  'Check the endpoint or the region in the store URL, and the network.',
);
const untrusted = stays(
  ({ where, code }) => `The certificate of ${where} is not trusted on this machine (${code}).`,
  'Set NODE_EXTRA_CA_CERTS to the file with the certificate of its authority.',
);
const expired = stays(() => 'The AWS credentials have expired.', LOGIN);
const loggedOut = stays(
  () => 'The AWS login of the profile has expired or was never made.',
  'Run `aws sso login` (with --profile, where it is not the default one) and try again.',
);
const of = (profile: string | undefined) => (profile === undefined ? '' : ` of the profile ${profile}`);
const noCredentials = stays(({ cause }) => {
  const { profile, cause: origin } = cause as { profile?: string; cause?: unknown };
  // Its name only: the text may be that of a program that gives credentials.
  const { name, code = name } = (origin ?? {}) as { name?: string; code?: string };
  if (name === 'TimeoutError') return `The AWS credentials${of(profile)} did not come in time.`;
  const reason = code === undefined || code === 'CredentialsProviderError' ? '' : ` (${code})`;
  return `There are no AWS credentials${of(profile)}${reason}.`;
}, 'Set AWS_PROFILE, run `aws sso login`, or set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY.');
const full = stays(
  ({ bucket }) => `The bucket ${bucket} takes no more: it or its owner has no room left.`,
  'Ask its owner for room.',
);
const elsewhere = stays(
  (failure) => `The bucket ${failure.bucket} is not in the region ${failure.region}${homeOf(failure, ', but in ')}.`,
  (failure) => `Set region=${homeOf(failure, '') || '…'} in the store URL.`,
);
const denied: Sentence = (failure) => {
  const { action, bucket, where } = failure;
  const reading = action === 'read' ? ' (and s3:ListBucket: without it the same is said of what is not there)' : '';
  const what =
    action === 'write' || action === 'remove'
      ? `The bucket ${bucket} at ${where} is read-only for you: ${PERMISSION[action]} is denied.`
      : `You may not ${action === 'list' ? 'list' : 'read from'} the bucket ${bucket} at ${where}: ${PERMISSION[action]} is denied.`;
  return new StoreError(what, `Ask its owner for ${PERMISSION[action]}${reading}, or use another AWS_PROFILE.`, {
    cause: failure.cause,
  });
};
const skewed = passes((failure) => {
  const theirs = Date.parse(failure.headers['date'] ?? '');
  const minutes = Math.round((Date.now() - theirs) / 60_000);
  const by = Number.isNaN(minutes) ? 'wrong' : `${Math.abs(minutes)} minutes ${minutes < 0 ? 'behind' : 'ahead'}`;
  return `The clock of this machine is ${by}, so ${failure.where} refuses its requests.`;
}, 'Set the clock and try again.');

/** By what the server calls it: https://docs.aws.amazon.com/AmazonS3/latest/API/ErrorResponses.html; by Node's names for the network. */
const SENTENCES: [codes: string, sentence: Sentence][] = [
  [
    'NoSuchBucket',
    stays(
      ({ bucket, where }) => `There is no bucket ${bucket} at ${where}.`,
      'Check the bucket and the endpoint in the store URL, or have the bucket made.',
    ),
  ],
  [
    'InvalidBucketName',
    stays(({ bucket, where }) => `${where} takes no bucket of the name ${bucket}.`, 'Check the bucket in the store URL.'),
  ],
  ['PermanentRedirect AuthorizationHeaderMalformed IllegalLocationConstraintException', elsewhere],
  [
    'CredentialsProviderError',
    (failure) =>
      (/sso login/i.test(failure.message) ? loggedOut : /expired/i.test(failure.message) ? expired : noCredentials)(failure),
  ],
  ['ExpiredToken ExpiredTokenException TokenRefreshRequired RequestExpired', expired],
  ['InvalidToken', stays(({ where }) => `${where} does not take the AWS session token.`, LOGIN)],
  ['InvalidAccessKeyId', stays(({ where }) => `${where} does not know the access key.`, KEYS)],
  ['SignatureDoesNotMatch', stays(({ where }) => `${where} says that the secret key is wrong.`, KEYS)],
  ['AccessDenied AllAccessDisabled AccountProblem MethodNotAllowed', denied],
  ['RequestTimeTooSkewed', skewed],
  [
    'InvalidObjectState',
    stays(
      ({ name }) => `The object ${name} was moved to an archive and cannot be read at once.`,
      'Restore it in S3, and take the store out of the rule that archives.',
    ),
  ],
  ['QuotaExceeded XMinioStorageFull InsufficientStorage EntityTooLarge', full],
  [
    'NotImplemented',
    stays(
      ({ where }) => `${where} lacks something that a store needs: to write an object only where there is none (If-None-Match).`,
      'Use a server that has it: AWS, Ceph, MinIO and R2 do.',
    ),
  ],
  ['SlowDown ServiceUnavailable Throttling ThrottlingException TooManyRequests BandwidthLimitExceeded', busy],
  [
    'ConditionalRequestConflict OperationAborted',
    passes(({ name }) => `The object ${name} is being written by somebody else.`, LATER),
  ],
  ['InternalError', passes(({ where, status }) => `${where} failed (${status} InternalError).`, LATER)],
  ['BadDigest XAmzContentSHA256Mismatch XAmzContentChecksumMismatch InvalidDigest IncompleteBody AlteredBody', altered],
  ['RequestTimeout TimeoutError ETIMEDOUT UND_ERR_CONNECT_TIMEOUT', slow],
  ['ECONNRESET EPIPE ECONNABORTED ERR_STREAM_PREMATURE_CLOSE', broken],
  [
    'ECONNREFUSED',
    passes(
      ({ where }) => `${where} cannot be reached: nothing answers there.`,
      'Check the endpoint in the store URL, and that its server runs.',
    ),
  ],
  ['EHOSTUNREACH ENETUNREACH EADDRNOTAVAIL ENETDOWN', offline],
  ['ENOTFOUND', noName],
  ['EAI_AGAIN', passes(({ where }) => `The address of ${where} cannot be looked up at present.`, NETWORK)],
  [
    'DEPTH_ZERO_SELF_SIGNED_CERT SELF_SIGNED_CERT_IN_CHAIN UNABLE_TO_VERIFY_LEAF_SIGNATURE UNABLE_TO_GET_ISSUER_CERT UNABLE_TO_GET_ISSUER_CERT_LOCALLY',
    untrusted,
  ],
  [
    'CERT_HAS_EXPIRED CERT_NOT_YET_VALID',
    stays(
      ({ where, code }) => `The certificate of ${where} is out of date (${code}).`,
      'Check the clock of this machine; else its owner has to renew it.',
    ),
  ],
  [
    'ERR_TLS_CERT_ALTNAME_INVALID',
    stays(
      ({ where }) => `The certificate of ${where} is for another host name.`,
      'Name the endpoint as the certificate does; pathStyle=true keeps the bucket out of the host name.',
    ),
  ],
  ['EPROTO', stays(({ where }) => `${where} does not speak TLS.`, 'Check https:// or http:// and the port of the endpoint.')],
];
export const BY_CODE: ReadonlyMap<string, Sentence> = new Map(
  SENTENCES.flatMap(([codes, sentence]) => codes.split(' ').map((code) => [code, sentence] as const)),
);
export const BY_STATUS: Record<number, Sentence> = {
  301: elsewhere,
  403: denied,
  429: busy,
  500: busy,
  502: busy,
  503: busy,
  504: busy,
  507: full,
};

export const noRegion = stays(
  ({ bucket }) => `The region of the bucket ${bucket} is not known.`,
  'Set region=… in the store URL, or AWS_REGION.',
);
export const notS3 = stays(
  ({ where, status }) => `${where} does not answer as an S3 server does (HTTP ${status}).`,
  'Check the endpoint in the store URL: its port, and that no login page of a network stands before it.',
);
export const anyOther = stays(
  ({ where, action, name, code, message }) =>
    `${where} did not ${action} ${name}: ${code}${message === '' ? '' : ` (${message})`}.`,
  'Check the store URL; what its server logs says more.',
);

/** The region that the server says the bucket is in, after `before`; empty when it does not say. */
function homeOf({ headers, cause, message, region }: Failure, before: string): string {
  const said =
    headers['x-amz-bucket-region'] ?? (cause as { Region?: unknown }).Region ?? /expecting '([a-z0-9-]+)'/.exec(message)?.[1];
  return typeof said === 'string' && said !== region && /^[a-z0-9-]+$/.test(said) ? before + said : '';
}
