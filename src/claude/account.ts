import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { sha256 } from '../core/hash.ts';

/**
 * The account a configuration is signed in to, as a salted hash; null when unknown. Read from `oauthAccount.accountUuid` of Claude Code's
 * own configuration file (`.claude.json`), which holds no credentials; the account's address is never looked at.
 * @param config the configuration directory; the file lies in it when CLAUDE_CONFIG_DIR is set and beside it otherwise.
 */
export function accountOf(config: string): string | null {
  for (const file of [join(config, '.claude.json'), join(dirname(config), '.claude.json')]) {
    try {
      const found = /"accountUuid"\s*:\s*"([0-9a-fA-F-]{36})"/.exec(readFileSync(file, 'utf8'));
      if (found?.[1] !== undefined) return sha256(`cc-context account\0${found[1].toLowerCase()}`).slice(0, 32);
    } catch {
      // No such file, or not readable: this place does not tell.
    }
  }
  return null;
}
