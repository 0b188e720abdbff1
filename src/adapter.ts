/** What a package that is an adapter needs to know: `cc-context/adapter`. Types only; docs/adapters.md explains them. */
import type { BlobStore, Entry } from './storage/blob-store.ts';

export type { BlobStore, Entry };

/**
 * What an adapter's package exports by default: opens a store by the URL in the settings, `npm:my-adapter?…`, as it stands there.
 * May throw or reject, with a sentence that says what is wrong with the URL or the store.
 */
export type OpenStore = (url: string) => BlobStore | Promise<BlobStore>;

/** What an adapter may say with an error, beside its message. Any Error will do. */
export interface AdapterError extends Error {
  /** What the person can do about it: a sentence or a command. */
  next?: string | null;
  /** The same call may work later (busy, out of reach, a connection that broke): it is tried again. */
  retryable?: boolean;
}
