import * as vitest from 'vitest';
import { type ConformanceOptions, conforms as declare, type Opened } from '../../src/testing/index.ts';

/**
 * What every adapter has to do: the published suite, run by vitest.
 * @param open opens a new, empty store; one without `reopen` lives in this process, and who opens it again gets the same object.
 */
export function conforms(
  name: string,
  open: () => Pick<Opened, 'store' | 'remove'> & Partial<Opened>,
  options?: ConformanceOptions,
): void {
  const opened = () => {
    const { store, ...rest } = open();
    return { store, reopen: () => store, ...rest };
  };
  declare(name, opened, vitest, options);
}
