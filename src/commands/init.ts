import { relative, sep } from 'node:path';
import { fileURLToPath } from 'node:url';
import { UserError } from '../errors.ts';
import { checkHooks, type HookCheck } from '../git/hooks/check.ts';
import { type HookChange, installHooks, uninstallHooks } from '../git/hooks/install.ts';
import { type HookManager, type HookPlaces, hookPlaces, hooksOff } from '../git/hooks/places.ts';
import type { ShimSource } from '../git/hooks/shims.ts';
import { openRepository, type Repository } from '../git/repository.ts';
import { hookMessages } from '../messages.ts';
import { askPerson } from '../ui/ask.ts';
import { directoryOf, type Options, type Output } from '../ui/run.ts';
import { agreeToStore, nameStore } from './init-store.ts';

export interface InitOptions {
  cwd: string;
  /** Take everything out again that an earlier `cc-init` put in. */
  uninstall?: boolean;
  /** What the hooks run. */
  shims: ShimSource;
  /** Names the store that the team shares, in settings that are to be committed. */
  store?: string | undefined;
  /** Agrees to the store that the repository names. */
  trusting?: boolean;
  /** Asks for that; null where there is nobody to ask. */
  ask?: ((question: string) => Promise<boolean>) | null;
}

/** What `cc-init` did; `--json` prints it as it is. */
export interface InitResult {
  action: 'installed' | 'uninstalled';
  /** Top of the work tree. */
  repository: string;
  hooks_dir: string;
  manager: HookManager | null;
  hooks: HookChange[];
  /** Whether commits are captured now, see checkHooks. Always with problems after `--uninstall`, so left out then. */
  capture?: HookCheck;
  /** Sentences worth knowing: what to commit, who may overwrite it. */
  notes: string[];
}

/**
 * Sets a repository up: every commit captures its conversation from now on. Or undoes it.
 * @throws UserError outside a work tree, where hooks are switched off, and where a hook file cannot be written.
 */
export async function init({
  cwd,
  uninstall = false,
  shims,
  store,
  trusting = false,
  ask = null,
}: InitOptions): Promise<InitResult> {
  const repository = await openRepository(cwd);
  const places = await hookPlaces(repository);
  const { scriptsDir: hooks_dir, manager } = places;
  const about = { repository: repository.top, hooks_dir, manager };
  if (uninstall) {
    const hooks = writing(places, () => uninstallHooks(repository, places));
    return { action: 'uninstalled', ...about, hooks, notes: uninstallNotes(repository, hooks) };
  }
  if (hooksOff(places)) throw new UserError(hookMessages.hooksOff(places.hooksDir));
  const hooks = writing(places, () => installHooks(repository, places, shims));
  const capture = await checkHooks(repository);
  const shared = store === undefined ? await agreeToStore(repository, { trusting, ask }) : await nameStore(repository, store);
  return { action: 'installed', ...about, hooks, capture, notes: [...installNotes(repository, places, hooks, shims), ...shared] };
}

/** The result for people. */
export function renderInit({ action, repository, hooks_dir, hooks, capture, notes }: InitResult): string {
  const headline = hookMessages.headline(
    action,
    repository,
    hooks.every((hook) => hook.change === 'kept'),
  );
  const where = relative(repository, hooks_dir).startsWith(`..${sep}`) ? hooks_dir : relative(repository, hooks_dir);
  const rows = hooks.filter(({ change }) => change !== 'kept').map(({ hook, change }) => hookMessages.hook(hook, change));
  return [
    headline,
    ...(rows.length > 0 ? [`  ${hookMessages.hooksIn(where)}`, ...rows.map((row) => `  - ${row}`)] : []),
    ...(capture?.problems ?? []).map((problem) => `! ${problem}`),
    ...notes.map((note) => `  ${note}`),
  ].join('\n');
}

function installNotes({ top }: Repository, places: HookPlaces, hooks: HookChange[], { entry }: ShimSource): string[] {
  const written = hooks.filter(({ change }) => change === 'created' || change === 'edited' || change === 'wrapped');
  return [
    ...(places.shared === 'committed' && written.length > 0
      ? [hookMessages.commitThem(written.map(({ path }) => relative(top, path)))]
      : []),
    ...(places.shared === 'global' ? [hookMessages.sharedHooks(places.scriptsDir)] : []),
    ...(places.manager === 'lefthook' || places.manager === 'pre-commit' ? [hookMessages.mayOverwrite(places.manager)] : []),
    ...(/[\\/]_npx[\\/]/.test(entry) ? [hookMessages.npxCache] : []),
  ];
}

function uninstallNotes({ commonDir }: Repository, hooks: HookChange[]): string[] {
  const left = hooks.filter(({ change }) => change === 'left').map(({ path }) => hookMessages.left(path));
  return [...left, hookMessages.stays(commonDir)];
}

function writing(places: HookPlaces, write: () => HookChange[]): HookChange[] {
  try {
    return write();
  } catch (cause) {
    const { code, path } = cause as NodeJS.ErrnoException;
    if (code === undefined) throw cause;
    throw new UserError(...hookMessages.cannotWrite(path ?? places.scriptsDir, code), { cause });
  }
}

/** `cc-init`. */
export async function initCommand(options: Options): Promise<Output> {
  // Bundled code lies flat in dist/: the package is one folder above.
  const file = (path: string) => fileURLToPath(new URL(`../${path}`, import.meta.url));
  const shims = { templates: file('hooks'), node: process.execPath, entry: file('dist/hook.cjs') };
  const data = await init({
    cwd: directoryOf(options),
    uninstall: options['uninstall'] === true,
    shims,
    store: options['store'] as string | undefined,
    trusting: options['trust'] === true,
    ask: process.stdin.isTTY && process.stderr.isTTY ? askPerson : null,
  });
  return { data, text: renderInit(data) };
}
