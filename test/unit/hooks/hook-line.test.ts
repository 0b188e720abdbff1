import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  asideOf,
  HOOK_NAMES,
  holdsLine,
  hookLine,
  insertLine,
  isShellScript,
  removeLine,
  wrapperHook,
} from '../../../src/git/hooks/line.ts';

const LINE = hookLine('pre-commit');

test.each([
  ['', `${LINE}\n`],
  ['echo\n', `${LINE}\necho\n`],
  ['#!/bin/sh\necho\n', `#!/bin/sh\n${LINE}\necho\n`],
  ['#!/bin/sh', `#!/bin/sh\n${LINE}`],
  ['#!/bin/sh\r\necho\r\n', `#!/bin/sh\r\n${LINE}\r\necho\r\n`],
  ['#!/bin/sh\r\n', `#!/bin/sh\r\n${LINE}\r\n`],
  ['#!/bin/sh\n. "$(dirname -- "$0")/_/husky.sh"\n\necho', `#!/bin/sh\n. "$(dirname -- "$0")/_/husky.sh"\n${LINE}\n\necho`],
  ['. "$(dirname "$0")/h"', `. "$(dirname "$0")/h"\n${LINE}`],
])('%j gets the line and loses it again', (before, after) => {
  expect(insertLine(before, 'pre-commit')).toBe(after);
  expect(insertLine(after, 'pre-commit')).toBe(after);
  expect(removeLine(after)).toBe(before);
});

test('any file comes back byte for byte', () => {
  const piece = fc.constantFrom('#!/bin/sh', '\n', '\r\n', '\r', 'echo', ' ', '# cc-context', '\xff', '. "$0/h"');
  fc.assert(
    fc.property(fc.array(piece), fc.constantFrom(...HOOK_NAMES), (pieces, name) => {
      const before = pieces.join('');
      const after = insertLine(before, name);
      expect(holdsLine(after, name)).toBe(true);
      expect(removeLine(after)).toBe(before);
    }),
  );
});

test.each([
  '# before-cc-context # cc-context',
  'rm -r .git/cc-context/hooks/pre-commit" # cc-context',
  `echo; ${LINE}`,
  `${LINE} too`,
  '[ ! -x "${0%/*}/before-cc-context/pre-commit" ] || : # cc-context',
  '[ ! -x "${0%/*}/a/before-cc-context/pre-commit" ] || exec "${0%/*}/a/before-cc-context/pre-commit" "$@" # cc-context',
])('%j is not ours: a whole line counts, not words in it', (line) => {
  const text = `#!/bin/sh\n${line}\n`;
  expect(removeLine(text)).toBe(text);
});

test.each([`  ${LINE}`, `# ${LINE}`, `#${LINE}`])('%j is ours, also when somebody indented it or commented it out', (line) => {
  expect(removeLine(`#!/bin/sh\n${line}\n`)).toBe('#!/bin/sh\n');
});

test('only a line that runs counts, and only that of the same hook', () => {
  expect(holdsLine(`# ${LINE}`, 'pre-commit')).toBe(false);
  expect(holdsLine(LINE, 'pre-push')).toBe(false);
  expect(holdsLine('echo # cc-context', 'pre-commit')).toBe(false);
});

test('a wrapper knows where the original is', () => {
  const wrapper = wrapperHook('pre-push', 'before-cc-context/pre-push');
  expect(asideOf(wrapper, 'pre-push')).toBe('before-cc-context/pre-push');
  expect(removeLine(wrapper)).toBe('#!/bin/sh\n');
  expect(asideOf(`#!/bin/sh\n${LINE}\n`, 'pre-push')).toBeNull();
});

test.each([
  ['before-cc-context/pre-commit', true],
  ['before-cc-context/pre-commit-2', true],
  ['pre-commit.before-cc-context', true],
  ['pre-commit.before-cc-context-12', true],
  ['before-cc-context/../../../home/.ssh/id', false],
  ['before-cc-context/pre-push', false],
  ['before-cc-context/pre-commit-2-3', false],
  ['pre-push.before-cc-context', false],
  ['../pre-commit.before-cc-context', false],
])('an original at %j is believed: %s', (aside, believed) => {
  expect(asideOf(wrapperHook('pre-commit', aside), 'pre-commit')).toBe(believed ? aside : null);
});

describe('a shell script is known by its shebang', () => {
  test.each([
    '',
    'echo',
    '#!/bin/sh',
    '#! /bin/sh -e',
    '#!/bin/bash',
    '#!/usr/bin/env bash',
    '#!/usr/bin/env -S bash -eu',
    '#!/usr/bin/env A=b dash',
    '#!/bin/busybox sh',
    '#!/opt/homebrew/bin/zsh',
    '#!/bin/ksh93',
    '#!C:\\Git\\bin\\sh.exe',
    '#!/bin/sh\r\necho\r\n',
    '#!/bin/sh\nexec </dev/tty\n',
    '#!/bin/sh\nexec "$(dirname "$0")/check" "$@"\n',
  ])('%j is one', (text) => expect(isShellScript(text)).toBe(true));

  test.each([
    '#!/usr/bin/env python3',
    '#!/usr/bin/env node',
    '#!/usr/bin/env -S deno run',
    '#!/usr/bin/perl -w',
    '#!/usr/bin/fish',
    '#!/bin/csh',
    '#!',
    '\x7fELF\x02\0',
    "#!/bin/sh\n'''exec' python3 \"$0\" \"$@\"\n' '''\n",
    '#!/bin/sh\n# \\\nexec tclsh "$0" ${1+"$@"}\n',
    '#!/bin/sh\n"exec" "python3" "$0"\n',
  ])('%j is none', (text) => expect(isShellScript(text)).toBe(false));
});
