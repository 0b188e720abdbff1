import type { BlobStore } from '../storage/blob-store.ts';
import type { Open, Opened } from './opened.ts';

/** What a check sees: a store of its own. What it does not close is closed after it. */
export interface Judged {
  store: BlobStore;
  /** Opens the store once more. */
  reopen(): Promise<BlobStore>;
  /** Opens another new store. */
  openAnother(): Promise<BlobStore>;
  close(store: BlobStore): Promise<void>;
  /** Texts that nothing a person sees may contain. */
  secrets: string[];
  /** Rejects when a call does not settle in time. */
  inTime<T>(what: string, call: Promise<T>): Promise<T>;
}

export type Check = [name: string, run: (judged: Judged) => Promise<void>];

/** Milliseconds. */
export interface Patience {
  /** For a whole check. */
  check: number;
  /** For one call of which it is asked whether it ends. */
  call: number;
}

/** Runs a check on a new store. @throws when the store does not do what it has to. */
export async function judge(
  run: (judged: Judged) => Promise<void>,
  { open, secrets, patience }: { open: Open; secrets: string[]; patience: Patience },
): Promise<void> {
  const stores: Opened[] = [];
  const handles = new Set<BlobStore>();
  const keep = (store: BlobStore) => {
    handles.add(store);
    return store;
  };
  const openNew = async () => {
    const opened = await open();
    stores.push(opened);
    return { store: keep(await opened.store), reopen: opened.reopen };
  };
  const close = async (store: BlobStore) => {
    handles.delete(store);
    await within(patience.call, 'close', store.close());
  };
  const cleanUp = async () => {
    for (const handle of [...handles]) await close(handle);
    for (const { remove } of stores) await remove?.();
  };
  try {
    const { store, reopen } = await openNew();
    const judged: Judged = {
      store,
      reopen: async () => keep(await reopen()),
      openAnother: async () => (await openNew()).store,
      close,
      secrets,
      inTime: (what, call) => within(patience.call, what, call),
    };
    await within(patience.check, 'The check', run(judged));
  } catch (error) {
    await cleanUp().catch(() => {}); // the first error is the one to tell
    throw error;
  }
  await cleanUp();
}

async function within<T>(time: number, what: string, call: Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`${what} did not end within ${time / 1000} s`)), time);
  });
  try {
    return await Promise.race([call, late]);
  } finally {
    clearTimeout(timer);
  }
}
