import { createHash } from 'node:crypto';
import type { Readable } from 'node:stream';
import {
  AbortMultipartUploadCommand,
  CompleteMultipartUploadCommand,
  CreateMultipartUploadCommand,
  DeleteObjectCommand,
  GetObjectCommand,
  ListObjectsV2Command,
  PutObjectCommand,
  S3Client,
  UploadPartCommand,
} from '@aws-sdk/client-s3';
import { defaultProvider } from '@aws-sdk/credential-provider-node';
import type { Bucket, BucketOptions, Part } from './bucket.ts';
import { deadline, within } from './deadline.ts';
import { type Action, s3Error } from './errors.ts';
import { limiter } from './limit.ts';

/** Milliseconds that the metadata service of a machine at AWS may take; elsewhere nothing answers, and a laptop would wait. */
const METADATA = 1000;
/** The SDK would tell people of more than one source of credentials, on the stderr of a commit. */
const quiet = { debug() {}, info() {}, warn() {}, error() {} };

/** The one door to the AWS SDK. Each request is tried once: who wants more decorates the store (src/storage/retry.ts). */
export function openBucket({ bucket, endpoint, region, forcePathStyle, timeouts, parallel, credentials }: BucketOptions): Bucket {
  const home = region ?? (endpoint === undefined ? undefined : 'us-east-1');
  const client = new S3Client({
    ...(endpoint !== undefined && { endpoint }),
    ...(home !== undefined && { region: home }),
    forcePathStyle: forcePathStyle ?? endpoint !== undefined,
    credentials: once(
      credentials ?? defaultProvider({ timeout: Math.min(METADATA, timeouts.connect), maxRetries: 0, logger: quiet }),
    ),
    maxAttempts: 1,
    logger: quiet,
    // Servers that know no checksums but their own are many. Each body carries its SHA-256 here, and answers are asked for theirs.
    requestChecksumCalculation: 'WHEN_REQUIRED',
    responseChecksumValidation: 'WHEN_REQUIRED',
    expectContinueHeader: false, // the SDK opens a new connection for each request that has it
    requestHandler: {
      connectionTimeout: timeouts.connect,
      socketTimeout: timeouts.request,
      httpAgent: { maxSockets: parallel },
      httpsAgent: { maxSockets: parallel },
    },
  });
  const gate = limiter(parallel);

  /** Does one request, its body included. `bytes` are those it sends. */
  const ask = <T>(
    action: Action,
    name: string,
    bytes: number,
    work: (options: { abortSignal: AbortSignal }, receives: (bytes: number) => void) => Promise<T>,
  ): Promise<T> =>
    gate(async () => {
      const asked = { action, bucket, name, region: home ?? '', endpoint: endpoint ?? null };
      try {
        asked.region = await client.config.region();
        await within(timeouts.credentials, client.config.credentials()).catch(noCredentials);
      } catch (cause) {
        throw s3Error(cause, asked);
      }
      const time = deadline(timeouts.request, bytes);
      try {
        return await work({ abortSignal: time.signal }, time.extend);
      } catch (cause) {
        throw s3Error(
          time.signal.aborted ? Object.assign(new Error('too late', { cause }), { name: 'TimeoutError' }) : cause,
          asked,
        );
      } finally {
        time.stop();
      }
    });

  const at = (name: string) => ({ Bucket: bucket, Key: name });
  const exists = (name: string) =>
    // Not HeadObject: its answer has no body, so it cannot say whether the object or the bucket is missing, nor what is wrong.
    ask('read', name, 0, async (options) => {
      try {
        const answer = await client.send(new GetObjectCommand({ ...at(name), Range: 'bytes=0-0' }), options);
        if (answer.ContentLength === 1) await answer.Body?.transformToByteArray();
        else (answer.Body as Readable | undefined)?.destroy(); // a server without ranges
        return isOfS3(answer);
      } catch (error) {
        if (isCode(error, 'InvalidRange')) return true; // an empty object has no first byte
        if (isCode(error, 'NoSuchKey')) return false;
        throw error;
      }
    });

  /** Whether it was this one that created the object; false when it was there already. */
  const creating = async (name: string, write: () => Promise<boolean>): Promise<boolean> => {
    try {
      return await write();
    } catch (error) {
      const cause = (error as Error).cause;
      if (isCode(cause, 'PreconditionFailed')) return false;
      // Others write the same key at this moment. Mostly the first of them has won by now.
      if (isCode(cause, 'ConditionalRequestConflict') && (await exists(name))) return false;
      throw error;
    }
  };

  return {
    exists,

    read: (name, most) =>
      ask('read', name, 0, async (options, receives) => {
        let body: Readable | undefined;
        try {
          const answer = await client.send(new GetObjectCommand({ ...at(name), ChecksumMode: 'ENABLED' }), options);
          body = answer.Body as Readable;
          isOfS3(answer);
          receives(Math.min(answer.ContentLength ?? most, most));
          return await collect(body, answer.ContentLength, most);
        } catch (error) {
          body?.destroy();
          if (isCode(error, 'NoSuchKey')) return null;
          throw error;
        }
      }),

    create: (name, bytes) =>
      creating(name, () =>
        ask('write', name, bytes.length, async (options) => {
          const body = { Body: bytes, ContentLength: bytes.length, ChecksumSHA256: checksum(bytes) };
          return isOfS3(await client.send(new PutObjectCommand({ ...at(name), ...body, IfNoneMatch: '*' }), options));
        }),
      ),

    list: (prefix, { after, token } = {}) =>
      ask('list', prefix, 0, async (options) => {
        const from = {
          ...(after !== undefined && { StartAfter: after }),
          ...(token !== undefined && { ContinuationToken: token }),
        };
        const answer = await client.send(new ListObjectsV2Command({ Bucket: bucket, Prefix: prefix, ...from }), options);
        if (answer.Name === undefined) throw alien(answer);
        const names = (answer.Contents ?? []).flatMap(({ Key }) => (Key === undefined ? [] : [Key]));
        return { names, next: answer.IsTruncated === true ? (answer.NextContinuationToken ?? null) : null };
      }),

    remove: (name) =>
      ask('remove', name, 0, async (options) => {
        try {
          const answer = await client.send(new DeleteObjectCommand(at(name)), options);
          if (answer.$metadata.httpStatusCode !== 204) throw alien(answer);
        } catch (error) {
          if (!isCode(error, 'NoSuchKey')) throw error;
        }
      }),

    beginParts: (name) =>
      ask('write', name, 0, async (options) => {
        const answer = await client.send(new CreateMultipartUploadCommand({ ...at(name), ChecksumAlgorithm: 'SHA256' }), options);
        if (answer.UploadId === undefined) throw alien(answer);
        return answer.UploadId;
      }),

    putPart: (name, upload, number, bytes) =>
      ask('write', name, bytes.length, async (options) => {
        const body = { Body: bytes, ContentLength: bytes.length, ChecksumSHA256: checksum(bytes) };
        const part = { ...at(name), UploadId: upload, PartNumber: number };
        const answer = await client.send(new UploadPartCommand({ ...part, ...body }), options);
        isOfS3(answer);
        // A server that knows the checksum says it back, and wants it again at the end.
        return { number, etag: answer.ETag!, ...(answer.ChecksumSHA256 !== undefined && { sha256: answer.ChecksumSHA256 }) };
      }),

    endParts: (name, upload, parts) =>
      creating(name, () =>
        ask('write', name, 0, async (options) => {
          const whole = { ...at(name), UploadId: upload, MultipartUpload: { Parts: parts.map(partOf) } };
          const answer = await client.send(new CompleteMultipartUploadCommand({ ...whole, IfNoneMatch: '*' }), options);
          if (answer.Key === undefined) throw alien(answer);
          return true;
        }),
      ),

    abandonParts: (name, upload) =>
      ask('write', name, 0, async (options) => {
        await client.send(new AbortMultipartUploadCommand({ ...at(name), UploadId: upload }), options);
      }),

    close: () => client.destroy(),
  };
}

const checksum = (bytes: Buffer) => createHash('sha256').update(bytes).digest('base64');
const partOf = ({ number, etag, sha256 }: Part) => ({
  PartNumber: number,
  ETag: etag,
  ...(sha256 !== undefined && { ChecksumSHA256: sha256 }),
});
const isCode = (error: unknown, code: string) => (error as { Code?: unknown; name?: unknown } | undefined)?.name === code;

/** S3 names the ETag of what it wrote or gives. @throws what says "200" to everything: a login page, a proxy. */
function isOfS3(answer: { ETag?: string | undefined; $metadata: object }): boolean {
  if (answer.ETag === undefined) throw alien(answer);
  return true;
}

const alien = ({ $metadata }: { $metadata: object }) => Object.assign(new Error('not an answer of S3'), { $metadata });

/** Whatever went wrong in the chain. @throws */
function noCredentials(cause: unknown): never {
  const profile = process.env['AWS_PROFILE'];
  const message = cause instanceof Error ? cause.message : String(cause);
  throw Object.assign(new Error(message, { cause }), { name: 'CredentialsProviderError', ...(profile && { profile }) });
}

/** Credentials that could not be had are not asked for again: each time may take seconds. */
function once<T>(provide: () => Promise<T>): () => Promise<T> {
  let failed: { error: unknown } | null = null;
  return async () => {
    if (failed !== null) throw failed.error;
    try {
      return await provide();
    } catch (error) {
      failed = { error };
      throw error;
    }
  };
}

/** All of a body. @throws when it is not as long as was announced, or longer than `most` bytes. */
async function collect(body: AsyncIterable<Buffer>, length: number | undefined, most: number): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let size = 0;
  if (length === undefined || length <= most)
    for await (const chunk of body) {
      chunks.push(chunk);
      if ((size += chunk.length) > most) break;
    }
  if (size > most || (length ?? 0) > most) throw new RangeError(`an object of more than ${most} bytes`);
  if (length !== undefined && size !== length) throw Object.assign(new Error('cut off'), { code: 'AlteredBody' });
  return Buffer.concat(chunks, size);
}
