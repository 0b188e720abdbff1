import type { S3Location } from './url.ts';

/** Milliseconds. */
export interface Timeouts {
  /** To connect. */
  connect: number;
  /** Without a byte on the line; and for a whole request, with the time that its bytes take at 32 KiB/s on top. */
  request: number;
  /** To get credentials (a profile may run a program or log in). */
  credentials: number;
}

export interface BucketOptions extends Omit<S3Location, 'prefix'> {
  timeouts: Timeouts;
  /** Requests at once. */
  parallel: number;
  /** Left out: the default chain of AWS (environment, profiles, SSO, container and machine). */
  credentials?: () => Promise<{ accessKeyId: string; secretAccessKey: string; sessionToken?: string }>;
}

/** A part of an object that is uploaded in parts. */
export interface Part {
  number: number;
  etag: string;
  sha256?: string;
}

/** What a store asks of a bucket, one request each (`create` and `endParts` one more where others write the same name). All reject with a StoreError. */
export interface Bucket {
  exists(name: string): Promise<boolean>;
  /** Null when there is no such object. @param most bytes: a larger one is not read. */
  read(name: string, most: number): Promise<Buffer | null>;
  /** Writes an object where there is none; false when there was one. */
  create(name: string, bytes: Buffer): Promise<boolean>;
  /** The next up to 1,000 names with a prefix, sorted by their bytes; `next` is the token of the page after it. */
  list(prefix: string, from?: { after?: string; token?: string }): Promise<{ names: string[]; next: string | null }>;
  remove(name: string): Promise<void>;
  /** @returns the id of the upload. */
  beginParts(name: string): Promise<string>;
  putPart(name: string, upload: string, number: number, bytes: Buffer): Promise<Part>;
  /** Makes the parts one object where there is none; false when there was one. */
  endParts(name: string, upload: string, parts: Part[]): Promise<boolean>;
  abandonParts(name: string, upload: string): Promise<void>;
  close(): void;
}
