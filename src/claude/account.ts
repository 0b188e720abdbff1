import { realpathSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { sha256 } from '../core/hash.ts';
import { firstBytes } from './reading.ts';

/** No configuration file is larger (bytes): what it holds beyond this is not looked at. */
const LARGEST = 64 * 1024 * 1024;

/**
 * The account a configuration is signed in to, as a salted hash; null when unknown. Read from `oauthAccount.accountUuid` of Claude Code's
 * own configuration file (`.claude.json`), which holds no credentials; the account's address is never looked at.
 * @param config the configuration directory; the file lies in it when CLAUDE_CONFIG_DIR is set and beside it otherwise.
 */
export function accountOf(config: string, env: NodeJS.ProcessEnv = process.env): string | null {
  const found = /"accountUuid"\s*:\s*"([0-9a-fA-F-]{36})"/.exec(
    configurationIn(env['CLAUDE_CONFIG_DIR'] ? config : dirname(config)),
  );
  return found?.[1] === undefined ? null : sha256(`cc-context account\0${found[1].toLowerCase()}`).slice(0, 32);
}

function configurationIn(folder: string): string {
  try {
    // People keep this file elsewhere and link to it.
    return firstBytes(realpathSync(join(folder, '.claude.json')), LARGEST);
  } catch {
    return '';
  }
}
