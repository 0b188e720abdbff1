/** What went wrong for the person at the terminal: one clear sentence, and what to do next. Exit code 1. */
export class UserError extends Error {
  override readonly name = 'UserError';
  /** The next step, a sentence or a command; null when the message already says it. */
  readonly next: string | null;
  constructor(message: string, next: string | null = null, options?: ErrorOptions) {
    super(message, options);
    this.next = next;
  }

  /** Both in one line. */
  get sentence(): string {
    return this.next === null ? this.message : `${this.message} ${this.next}`;
  }
}

/** A blob, manifest or snapshot file that is missing, damaged or not what its hash says. Names the object. */
export class IntegrityError extends UserError {}

/** A context, or all that was asked for of it, was removed on purpose. */
export class Purged extends IntegrityError {}

/** The store cannot be opened, read or written. */
export class StoreError extends UserError {}

/** A database that is none, or has lost pages: what it held is gone, not only out of reach. */
export class StoreDamaged extends StoreError {}

/** The store is locked by another process. */
export class StoreBusy extends StoreError {}

/** The store did not do it this time (busy, out of reach, a connection that broke): the same may work when it is tried again. */
export class StoreUnavailable extends StoreError {}

/** A transcript vanished or was replaced while it was read: harmless, the next capture sees what is there then. Its message goes on from a name. */
export class TranscriptGone extends Error {
  override readonly name = 'TranscriptGone';
}
