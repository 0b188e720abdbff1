import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { hookMessages } from '../../messages.ts';
import type { Repository } from '../repository.ts';
import { isLink } from './aside.ts';
import { callsUs } from './install.ts';
import { HOOK_NAMES, type HookName, hookLine } from './line.ts';
import { type HookPlaces, hookPlaces, hooksOff } from './places.ts';
import { isExecutable, readShims, shimsDir } from './shims.ts';

/** Whether commits in a work tree reach us. */
export interface HookCheck {
  ok: boolean;
  /** What keeps them from it: one sentence each, with the command that mends it. */
  problems: string[];
}

/** Looks whether a commit in this work tree, made now from this environment, would be captured. Writes nothing, starts no hook. */
export async function checkHooks(repository: Repository, env: NodeJS.ProcessEnv = process.env): Promise<HookCheck> {
  const places = await hookPlaces(repository);
  const problems = [...switches(places, env), ...setup(repository, places)];
  return { ok: problems.length === 0, problems };
}

function switches(places: HookPlaces, env: NodeJS.ProcessEnv): string[] {
  return [
    ...(env['CC_CONTEXT'] === '0' ? [hookMessages.switchedOff] : []),
    ...(places.manager === 'husky' && env['HUSKY'] === '0' ? [hookMessages.huskySwitchedOff] : []),
  ];
}

function setup({ commonDir }: Repository, places: HookPlaces): string[] {
  if (hooksOff(places)) return [hookMessages.hooksOff(places.hooksDir)];
  const silent = HOOK_NAMES.filter((hook) => !callsUs(hook, places));
  if (silent.length === HOOK_NAMES.length && !existsSync(shimsDir(commonDir))) return [hookMessages.notInstalled];
  return [...shims(commonDir), ...scripts(places, silent)];
}

function shims(commonDir: string): string[] {
  const paths = readShims(commonDir);
  if (paths === null) return [hookMessages.shimsMissing(shimsDir(commonDir))];
  return [
    ...(isExecutable(paths.node) ? [] : [hookMessages.nodeGone(paths.node)]),
    ...(existsSync(paths.entry) ? [] : [hookMessages.entryGone(paths.entry)]),
  ];
}

function scripts(places: HookPlaces, silent: HookName[]): string[] {
  const { hooksDir, scriptsDir, manager } = places;
  const husky9 = hooksDir !== scriptsDir;
  if (husky9 && !existsSync(join(hooksDir, 'h'))) return [hookMessages.huskyMissing(hooksDir)];
  const links = silent.filter((hook) => husky9 && isLink(join(scriptsDir, hook)));
  const overwritten = silent.filter((hook) => !links.includes(hook));
  const ignored = HOOK_NAMES.map((hook) => join(hooksDir, hook)).filter((path) => existsSync(path) && !isExecutable(path));
  return [
    ...(overwritten.length > 0 ? [hookMessages.notCalled(overwritten, scriptsDir, manager)] : []),
    ...links.map((hook) => hookMessages.byHand(join(scriptsDir, hook), hookLine(hook))),
    ...(ignored.length > 0 ? [hookMessages.notExecutable(ignored)] : []),
  ];
}
