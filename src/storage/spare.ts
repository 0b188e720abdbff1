import { type BlobStore, blobKey } from './blob-store.ts';

/** Where the new form of a blob lies while the old one is taken away: at no moment can the blob not be read. */
export const SPARES = 'spare/';
const spareKey = (hash: string): string => `${SPARES}${hash}`;

/** A blob as a store has it, whatever form it is in. */
export async function getBlob(store: BlobStore, hash: string): Promise<Buffer | null> {
  return (await store.get(blobKey(hash))) ?? (await store.get(spareKey(hash)));
}

/** Puts another form of a blob in place of the one that is there. */
export async function putAnew(store: BlobStore, hash: string, was: Buffer, bytes: Buffer): Promise<void> {
  const key = blobKey(hash);
  if (store.replace !== undefined) return await store.replace(key, was, bytes);
  await store.put(spareKey(hash), bytes);
  await store.delete(key);
  await store.put(key, bytes);
  await store.delete(spareKey(hash));
}

/** Puts back what a `putAnew` that was cut off has left aside. */
export async function finishSpares(store: BlobStore): Promise<void> {
  for await (const key of store.list(SPARES)) {
    const bytes = await store.get(key);
    if (bytes === null) continue;
    const hash = key.slice(SPARES.length);
    if (!(await store.get(blobKey(hash)))?.equals(bytes)) {
      await store.delete(blobKey(hash));
      await store.put(blobKey(hash), bytes);
    }
    await store.delete(key);
  }
}
