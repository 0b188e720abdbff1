import { UserError } from '../../src/errors.ts';

/** Where a store is, as its URL says it. */
export interface S3Location {
  bucket: string;
  /** Put before each key, with a slash between; empty: the whole bucket is the store. */
  prefix: string;
  /** URL of a server that is not AWS. */
  endpoint?: string;
  /** Left out: what the AWS settings of this person say, or `us-east-1` where there is an endpoint. */
  region?: string;
  /** Whether the bucket is named in the path or in the host name. Left out: in the path where there is an endpoint. */
  forcePathStyle?: boolean;
}

const FORM = 's3://bucket/prefix?endpoint=https://host:port&region=name&pathStyle=true';
const PARAMETERS = ['endpoint', 'region', 'pathStyle'];
const CREDENTIALS = /key|secret|token|password|credential|^x-amz-/i;
// https://docs.aws.amazon.com/AmazonS3/latest/userguide/bucketnamingrules.html
const BUCKET = /^(?!.*\.\.)[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]$/;
// The safe characters of https://docs.aws.amazon.com/AmazonS3/latest/userguide/object-keys.html
const PREFIX = /^[A-Za-z0-9!_.*'()/-]{1,512}$/;

/**
 * Reads `s3://bucket/prefix?endpoint=…&region=…&pathStyle=true|false`.
 * @throws UserError that names the one thing that is wrong. It never repeats a credential.
 */
export function parseS3Url(text: string): S3Location {
  const wrong = (what: string, next = `Write it as ${FORM}`) => new UserError(what, next);
  let url: URL;
  try {
    url = new URL(text);
  } catch {
    throw wrong('The store URL cannot be read.');
  }
  if (url.protocol !== 's3:') throw wrong('The store URL does not begin with s3://.');
  if (url.username !== '' || url.password !== '') throw credentials();
  const parameters = [...url.searchParams.keys()];
  for (const name of parameters) {
    if (PARAMETERS.includes(name)) continue;
    if (CREDENTIALS.test(name)) throw credentials();
    throw wrong(`The store URL has a parameter ${name} that there is not.`, `These there are: ${PARAMETERS.join(', ')}.`);
  }
  const twice = parameters.find((name, at) => parameters.indexOf(name) < at);
  if (twice !== undefined) throw wrong(`The store URL names ${twice} twice.`, 'Leave one out.');
  if (url.hash !== '') throw wrong('The store URL has a part after #.', 'Leave it out.');
  if (url.port !== '') throw wrong('The store URL has a port after the bucket.', `A server is named as endpoint: ${FORM}`);

  const bucket = url.hostname;
  if (bucket === '') throw wrong('The store URL names no bucket.');
  if (!BUCKET.test(bucket))
    throw wrong(
      `${bucket} cannot be the name of a bucket.`,
      'It takes 3 to 63 small letters, digits, dots and hyphens, a letter or digit first and last.',
    );
  if (bucket.endsWith('--x-s3'))
    throw wrong(`${bucket} is a directory bucket, which gives no sorted lists.`, 'Use a general purpose bucket.');
  const location: S3Location = { bucket, prefix: prefixOf(url.pathname) };
  const value = (name: string) => url.searchParams.get(name);
  const [endpoint, region, pathStyle] = [value('endpoint'), value('region'), value('pathStyle')];
  if (endpoint !== null) location.endpoint = endpointOf(endpoint);
  if (region !== null) {
    if (!/^[a-z0-9-]{1,64}$/.test(region))
      throw wrong('The region in the store URL is none.', 'Write it like region=eu-central-1.');
    location.region = region;
  }
  if (pathStyle !== null) {
    if (pathStyle !== 'true' && pathStyle !== 'false')
      throw wrong('pathStyle in the store URL is neither true nor false.', 'Write pathStyle=true or pathStyle=false.');
    location.forcePathStyle = pathStyle === 'true';
  }
  return location;
}

/** The URL of a location, which `parseS3Url` reads back. */
export function s3Url({ bucket, prefix, endpoint, region, forcePathStyle }: S3Location): string {
  const parameters = Object.entries({ endpoint, region, pathStyle: forcePathStyle })
    .filter(([, value]) => value !== undefined)
    .map(([name, value]) => `${name}=${encodeURIComponent(String(value)).replaceAll('%3A', ':').replaceAll('%2F', '/')}`);
  return `s3://${bucket}${prefix === '' ? '' : `/${prefix}`}${parameters.length === 0 ? '' : `?${parameters.join('&')}`}`;
}

function credentials(): UserError {
  return new UserError(
    'The store URL holds credentials, and it is committed and shown.',
    'Take them out (and replace them where it was seen): they come from AWS_PROFILE, AWS_ACCESS_KEY_ID, `aws sso login` or the machine.',
  );
}

function prefixOf(path: string): string {
  const prefix = path.replace(/^\//, '').replace(/\/$/, '');
  if (prefix === '') return '';
  const parts = prefix.split('/');
  if (PREFIX.test(prefix) && !parts.some((part) => part === '' || part === '.' || part === '..')) return prefix;
  throw new UserError(
    'The prefix in the store URL has characters that not every server takes, an empty part, or over 512 characters.',
    "Use letters, digits and !_.*'()- with single slashes between.",
  );
}

function endpointOf(text: string): string {
  const form = 'Write it like endpoint=https://s3.example.com or endpoint=http://127.0.0.1:9000';
  let url: URL;
  try {
    url = new URL(text);
  } catch {
    throw new UserError('The endpoint in the store URL is no URL.', form);
  }
  if (url.username !== '' || url.password !== '') throw credentials();
  if (url.protocol !== 'https:' && url.protocol !== 'http:')
    throw new UserError('The endpoint in the store URL does not begin with https:// or http://.', form);
  if (url.search !== '' || url.hash !== '')
    throw new UserError('The endpoint in the store URL has a part after ? or #.', `Encode & as %26, or leave it out. ${form}`);
  return url.href.replace(/\/$/, '');
}
