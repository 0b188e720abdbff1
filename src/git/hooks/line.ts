/** The Git hooks that cc-context takes part in. */
export const HOOK_NAMES = ['pre-commit', 'post-commit', 'post-checkout', 'post-rewrite', 'pre-push'] as const;
export type HookName = (typeof HOOK_NAMES)[number];

/** How the shim of pre-push ends when the push has to fail. */
export const REFUSED = 10;

/** Ends each of our lines, for who reads the file. */
const TAIL = '# cc-context';

/**
 * The one line that a hook file gets. It cannot fail the hook (but for a push that a team does not want without its conversations), reads
 * none of its stdin, and does nothing in a clone or repository that was not set up: the file may be committed, or serve all of a
 * person's repositories.
 */
export function hookLine(name: HookName): string {
  const shim = `cc-context/hooks/${name}`;
  // In a main work tree without asking git, which would cost every hook a millisecond.
  const find = `cc_context="\${GIT_DIR:-.git}/${shim}"; [ -x "$cc_context" ]`;
  const ask = `cc_context="$(git rev-parse --git-common-dir 2>/dev/null)/${shim}"`;
  const otherwise = name === 'pre-push' ? `[ $? -ne ${REFUSED} ] || exit 1` : ':';
  return `${find} || ${ask} || :; [ ! -x "$cc_context" ] || "$cc_context" "$@" </dev/null || ${otherwise} ${TAIL}`;
}

/** What is left of a hook file of our own when our lines are taken out. */
export const EMPTY_HOOK = '#!/bin/sh\n';

/** A hook file of our own: nothing but the line. */
export function ownHook(name: HookName): string {
  return `${EMPTY_HOOK}${hookLine(name)}\n`;
}

/**
 * Stands in for a hook that is not a shell script: ours first, then that one with its stdin and arguments.
 * @param aside where it was put, relative to the hooks directory.
 */
export function wrapperHook(name: HookName, aside: string): string {
  return `${ownHook(name)}${execLine(aside)}\n`;
}

function execLine(aside: string): string {
  const path = `"\${0%/*}/${aside}"`;
  return `[ ! -x ${path} ] || exec ${path} "$@" ${TAIL}`;
}

/**
 * Where a wrapper's original was put, relative to the hooks directory; null for any other file. Only a name that cc-init gives for this
 * hook: the file may come from somebody else's commit, and what it names is moved.
 */
export function asideOf(text: string, name: HookName): string | null {
  return linesOf(text).flatMap((line) => asideIn(line.text, name) ?? [])[0] ?? null;
}

function asideIn(line: string, name: HookName): string | null {
  const aside = /^\[ ! -x "\$\{0%\/\*\}\/([^"]*)" \]/.exec(line)?.[1] ?? '';
  const names = [`before-cc-context/${name}`, `${name}.before-cc-context`];
  return names.includes(aside.replace(/-\d+$/, '')) && line === execLine(aside) ? aside : null;
}

/** True when the hook file calls this hook of cc-context. */
export function holdsLine(text: string, name: HookName): boolean {
  return linesOf(text).some((line) => line.text.trimStart() === hookLine(name));
}

/** True for a whole line of ours (there has been one form of each so far), also when somebody indented it or commented it out. */
function isOurs({ text }: Line): boolean {
  const line = text.replace(/^[ \t#]+/, '');
  return HOOK_NAMES.some((name) => line === hookLine(name) || asideIn(line, name) !== null);
}

/**
 * Adds the line, unless it is there: below the shebang, and below the line with which older huskys start the script anew. Texts are latin1 views of bytes, so that every other byte stays what it is.
 */
export function insertLine(text: string, name: HookName): string {
  if (holdsLine(text, name)) return text;
  const lines = linesOf(text);
  const husky = lines.findIndex((line) => /^\.\s.*\/(husky\.sh|h)"?\s*$/.test(line.text));
  const head = lines.slice(0, husky >= 0 ? husky + 1 : text.startsWith('#!') ? 1 : 0);
  const before = head.map((line) => line.text + line.end).join('');
  const end = lines[0]?.end || '\n';
  const line = hookLine(name);
  return head.length > 0 && head.at(-1)?.end === '' ? `${before}\n${line}` : before + line + end + text.slice(before.length);
}

/** Takes our lines out again: the inverse of {@link insertLine}. */
export function removeLine(text: string): string {
  return linesOf(text).reduce((rest, line) => {
    if (!isOurs(line)) return rest + line.text + line.end;
    return line.end === '' ? rest.replace(/\n$/, '') : rest;
  }, '');
}

const SHELLS = new Set(['sh', 'bash', 'dash', 'ash', 'zsh', 'ksh', 'ksh93', 'mksh']);

/**
 * True for a hook that a POSIX-like shell runs. Git runs a file without a shebang with sh. False for scripts that only pass through a
 * shell (`exec python "$0"`), where our line would be read by the other language as well.
 */
export function isShellScript(text: string): boolean {
  if (text.includes('\0')) return false;
  if (/^[ \t]*['"]*exec['"]?[ \t](.*[ \t])?"?\$(0|\{0\})"?(\s|$)/m.test(text)) return false;
  const shebang = /^#!(.*)/.exec(text)?.[1];
  if (shebang === undefined) return true;
  const [program = '', ...rest] = shebang
    .trim()
    .split(/\s+/)
    .map((word) => word.replace(/^.*[\\/]/, ''));
  const interpreter = program === 'env' || program === 'busybox' ? rest.find((word) => !/^-|=/.test(word)) : program;
  return SHELLS.has((interpreter ?? '').replace(/\.exe$/, ''));
}

/** True for a hook that looks at the name it was called by, so that the name must be kept when it is put aside. */
export function asksForItsName(text: string): boolean {
  return /basename|argv\[0\]|\$\{0##/.test(text);
}

interface Line {
  text: string;
  /** Its line end; empty for a last line without one. */
  end: string;
}

function linesOf(text: string): Line[] {
  return (text.match(/[^\n]*\n|[^\n]+$/g) ?? []).map((line) => {
    const end = /\r?\n$/.exec(line)?.[0] ?? '';
    return { text: line.slice(0, line.length - end.length), end };
  });
}
