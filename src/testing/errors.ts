import assert from 'node:assert/strict';
import type { BlobStore } from '../storage/blob-store.ts';
import { judge, type Patience } from './judged.ts';
import { blob, keysOf } from './samples.ts';

/** A store that cannot be used says so at every call, unless it does so when it is opened. */
export async function brokenCheck(
  openBroken: () => BlobStore | Promise<BlobStore>,
  { secrets, patience }: { secrets: string[]; patience: Patience },
): Promise<void> {
  let store: BlobStore;
  try {
    store = await openBroken();
  } catch (error) {
    assertPlainError(error, secrets);
    return;
  }
  const calls: [string, (store: BlobStore) => Promise<unknown>][] = [
    ['id', (store) => store.id()],
    ['put', (store) => store.put(blob(1), Buffer.from('one'))],
    ['get', (store) => store.get(blob(1))],
    ['has', (store) => store.has([blob(1)])],
    ['list', (store) => keysOf(store, '')],
    ['delete', (store) => store.delete(blob(1))],
  ];
  const open = () => ({ store, reopen: openBroken });
  await judge(
    async ({ inTime }) => {
      for (const [name, call] of calls) {
        const rejected = await inTime(
          name,
          rejection(name, () => call(store)),
        );
        assert.ok(rejected !== null, `${name} does not say that the store cannot be used`);
        assertPlainError(rejected.error, secrets);
      }
    },
    { open, secrets, patience },
  );
}

/** What a call was rejected with, null when it was not. @throws when it throws instead. */
export async function rejection(name: string, call: () => Promise<unknown>): Promise<{ error: unknown } | null> {
  let promise: Promise<unknown>;
  try {
    promise = call();
  } catch (error) {
    assert.fail(`${name} throws instead of rejecting: ${error}`);
  }
  return await promise.then(
    () => null,
    (error: unknown) => ({ error }),
  );
}

/** An Error with a sentence for people, and what `AdapterError` says. */
export function assertPlainError(error: unknown, secrets: string[]): void {
  assert.ok(error instanceof Error, `the error is no Error, but ${Object.prototype.toString.call(error)}`);
  assert.ok(error.message.trim().length >= 10, `the error says next to nothing: "${error.message}"`);
  const { next, retryable } = error as { next?: unknown; retryable?: unknown };
  assert.ok(next === undefined || next === null || (typeof next === 'string' && next !== ''), 'next is no text');
  assert.ok(retryable === undefined || typeof retryable === 'boolean', 'retryable is neither true nor false');
  const told = `${error.message} ${next ?? ''}`;
  assert.doesNotMatch(told, /:\/\/[^/?#\s]*:[^/?#\s]*@/, 'the error tells credentials');
  for (const secret of secrets) assert.ok(!told.includes(secret), 'the error tells a secret');
}
