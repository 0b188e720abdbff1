import { SNAPSHOT_DIR } from '../core/snapshot.ts';
import { git } from '../git/git.ts';

/** What is set in `git config cc-context.*`, by the whole name in lower case. */
export async function readGitConfig(cwd: string): Promise<Map<string, string>> {
  const { stdout } = await git(['config', '-z', '--get-regexp', '^cc-context\\.'], { cwd });
  const entries = stdout.toString('utf8').split('\0').filter(Boolean);
  return new Map(
    entries.map((entry): [string, string] => {
      const end = entry.indexOf('\n');
      // `[cc-context] redact` without a value is true, in Git's own words.
      return end < 0 ? [entry, 'true'] : [entry.slice(0, end), entry.slice(end + 1)];
    }),
  );
}

/** Whether a repository may have a store that its team shares; whether it has one, and which, `readSharedStore` finds out. */
export async function mayHaveSharedStore(cwd: string, env: NodeJS.ProcessEnv = process.env): Promise<boolean> {
  if (env['CC_CONTEXT_STORE'] || (await readGitConfig(cwd)).has('cc-context.store')) return true;
  return (await git(['cat-file', '-e', `HEAD:${SNAPSHOT_DIR}/config.json`], { cwd })).code === 0;
}
