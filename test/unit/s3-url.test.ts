import { expect, test } from 'vitest';
import { UserError } from '../../src/errors.ts';
import { parseS3Url, s3Store, s3Url } from '../../storage-adapters/s3/index.ts';

test.each([
  ['s3://team', { bucket: 'team', prefix: '' }],
  ['s3://team/', { bucket: 'team', prefix: '' }],
  ['s3://team/a/b.c_d-e/', { bucket: 'team', prefix: 'a/b.c_d-e' }],
  ['s3://my.team-1/p?region=eu-central-1', { bucket: 'my.team-1', prefix: 'p', region: 'eu-central-1' }],
  ['s3://team?endpoint=http://127.0.0.1:9000', { bucket: 'team', prefix: '', endpoint: 'http://127.0.0.1:9000' }],
  [
    's3://team?endpoint=https%3A%2F%2Fs3.example.com%2Fgate%2F',
    { bucket: 'team', prefix: '', endpoint: 'https://s3.example.com/gate' },
  ],
  ['s3://team/p?pathStyle=true&region=auto', { bucket: 'team', prefix: 'p', region: 'auto', forcePathStyle: true }],
  ['s3://team/p?pathStyle=false', { bucket: 'team', prefix: 'p', forcePathStyle: false }],
])('%s', (url, location) => {
  expect(parseS3Url(url)).toEqual(location);
  expect(parseS3Url(s3Url(location))).toEqual(location);
});

test.each([
  ['', /cannot be read/],
  ['team/prefix', /cannot be read/],
  ['https://team/prefix', /begin with s3:/],
  ['s3:///prefix', /names no bucket/],
  ['s3://te', /te cannot be the name/],
  ['s3://Team', /Team cannot be the name/],
  ['s3://team_one', /team_one cannot be the name/],
  ['s3://team-', /team- cannot be the name/],
  ['s3://te..am', /te\.\.am cannot be the name/],
  [`s3://${'a'.repeat(64)}`, /cannot be the name/],
  ['s3://team--use1-az4--x-s3', /directory bucket/],
  ['s3://team:9000/p', /port after the bucket/],
  ['s3://team/a//b', /prefix in the store URL/],
  ['s3://team/a b', /prefix in the store URL/],
  ['s3://team/a%2e%2e', /prefix in the store URL/],
  ['s3://team/ä', /prefix in the store URL/],
  [`s3://team/${'a'.repeat(513)}`, /prefix in the store URL/],
  ['s3://team#p', /after #/],
  ['s3://team?regoin=eu', /parameter regoin that there is not.*endpoint, region, pathStyle/s],
  ['s3://team?region=a&region=b', /names region twice/],
  ['s3://team?region=', /region in the store URL is none/],
  ['s3://team?region=EU West', /region in the store URL is none/],
  ['s3://team?pathStyle=yes', /neither true nor false/],
  ['s3://team?endpoint=', /endpoint in the store URL is no URL/],
  ['s3://team?endpoint=localhost:9000', /begin with https/],
  ['s3://team?endpoint=ftp://host', /begin with https/],
  ['s3://team?endpoint=http://host/?a=b', /after \? or #/],
])('%s is refused with one sentence', (url, says) => {
  const error = refused(url);
  expect(error.sentence).toMatch(says);
  expect(error.next).not.toBeNull();
});

test.each([
  's3://AKIAKEY:SECRETVALUE@team/p',
  's3://AKIAKEY@team/p',
  's3://team?accessKeyId=AKIAKEY&secretAccessKey=SECRETVALUE',
  's3://team?session_token=SECRETVALUE',
  's3://team?X-Amz-Signature=SECRETVALUE',
  's3://team?endpoint=https://AKIAKEY:SECRETVALUE@host',
])('credentials are refused and not repeated: %s', (url) => {
  const { sentence } = refused(url);
  expect(sentence).toMatch(/holds credentials/);
  expect(sentence).not.toMatch(/AKIAKEY|SECRETVALUE/);
});

test('the URL of a store shows where it is and no credentials', () => {
  const credentials = async () => ({ accessKeyId: 'AKIAKEY', secretAccessKey: 'SECRETVALUE' });
  const store = s3Store({ bucket: 'team', prefix: 'p', endpoint: 'http://127.0.0.1:9000', region: 'auto', credentials });
  expect(store.url).toBe('s3://team/p?endpoint=http://127.0.0.1:9000&region=auto');
});

function refused(url: string): UserError {
  try {
    parseS3Url(url);
  } catch (error) {
    expect(error).toBeInstanceOf(UserError);
    return error as UserError;
  }
  throw new Error(`${url} was taken`);
}
