import type { Bucket } from './bucket.ts';

/** Bytes of a part, and of the largest object that is sent in one. S3 takes no part under 5 MiB but the last. */
export const PART = 8 * 1024 * 1024;

/** Writes a large object where there is none. What was sent of it is removed again when that fails. */
export async function createInParts(bucket: Bucket, name: string, bytes: Buffer): Promise<void> {
  // One request more is little beside sending it all again; and a server may ignore the condition at the end (Ceph 16 does).
  if (await bucket.exists(name)) return;
  const upload = await bucket.beginParts(name);
  let given = false;
  const pieces = Array.from({ length: Math.ceil(bytes.length / PART) }, (_, at) => bytes.subarray(at * PART, (at + 1) * PART));
  const sent = await Promise.allSettled(
    pieces.map(async (piece, at) => {
      if (given) throw GIVEN_UP;
      try {
        return await bucket.putPart(name, upload, at + 1, piece);
      } catch (error) {
        given = true;
        throw error;
      }
    }),
  );
  try {
    const failed = sent.find((part) => part.status === 'rejected' && part.reason !== GIVEN_UP) as
      | PromiseRejectedResult
      | undefined;
    if (failed !== undefined) throw failed.reason;
    const parts = sent.flatMap((part) => (part.status === 'fulfilled' ? [part.value] : []));
    if (await bucket.endParts(name, upload, parts)) return;
  } catch (error) {
    await abandon(bucket, name, upload);
    throw error;
  }
  await abandon(bucket, name, upload); // somebody else was first
}

const GIVEN_UP = new Error('another part failed');

/** As well as can be: what is left is the bucket's rule for incomplete uploads to remove. */
async function abandon(bucket: Bucket, name: string, upload: string): Promise<void> {
  await bucket.abandonParts(name, upload).catch(() => {});
}
