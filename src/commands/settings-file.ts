import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { CONFIG_PATH } from '../config/shared-store.ts';
import { UserError } from '../errors.ts';
import { writeSnapshotFile } from '../git/snapshot-folder.ts';

/** The settings in the work tree, to be committed; empty where there are none. @throws UserError when they are no JSON object. */
export function readSettingsFile(top: string): Record<string, unknown> {
  let text: string;
  try {
    text = readFileSync(join(top, CONFIG_PATH), 'utf8');
  } catch {
    return {}; // not there yet
  }
  try {
    const settings = JSON.parse(text) as unknown;
    if (typeof settings === 'object' && settings !== null && !Array.isArray(settings)) return settings as Record<string, unknown>;
  } catch {
    // told below
  }
  throw new UserError(`${CONFIG_PATH} is no JSON object.`, 'Mend or remove it, then run this again.');
}

/** Changes some of the settings in the work tree. @returns all of them. @throws UserError */
export function changeSettings(top: string, changed: Record<string, unknown>): Record<string, unknown> {
  const settings = { version: 1, ...readSettingsFile(top), ...changed };
  writeSnapshotFile(top, CONFIG_PATH, Buffer.from(`${JSON.stringify(settings, null, 2)}\n`));
  return settings;
}
