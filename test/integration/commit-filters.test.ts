import { chmodSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { expectCaptured, snapshotOf } from '../helpers/ownership.ts';
import { createWorkplace } from '../helpers/workplace.ts';

/** Attributes that would have Git store something other than the snapshot file's bytes, or show it as changed ever after. */
test.each([
  ['a filter that stores a pointer', '*.json filter=pointer diff=pointer merge=pointer -text\n'],
  ['a filter for everything', '* filter=pointer\n'],
  ['CRLF line ends', '* text eol=crlf\n'],
  ['another encoding', '*.json text working-tree-encoding=UTF-16\n'],
  ['keywords', '* ident\n'],
])('attributes: %s', (_, attributes) => {
  using work = createWorkplace();
  work.git('config', 'filter.pointer.clean', 'sed s/^/stored:/');
  work.git('config', 'filter.pointer.smudge', 'sed s/^stored://');
  work.git('config', 'filter.pointer.required', 'true');
  work.write('.gitattributes', attributes);
  work.git('add', '.gitattributes');
  work.git('commit', '--quiet', '-m', 'attributes');
  const session = work.session();
  for (const prompt of ['one', 'two']) {
    session.say(prompt);
    const { context_id } = expectCaptured(work, work.commit(), [session]);
    expect(snapshotOf(work, context_id)).toMatchObject({ context_id });
  }
  // A checkout writes the same bytes, and sees no change.
  work.git('rm', '--quiet', '-r', '--cached', '.cc-snapshots');
  work.git('reset', '--quiet', '--hard');
  expect(work.dirt()).toBe('');
});

test.each([['true'], ['input']])('core.autocrlf=%s', (value) => {
  using work = createWorkplace();
  work.git('config', 'core.autocrlf', value);
  const session = work.session();
  for (const prompt of ['one', 'two']) {
    session.say(prompt);
    const ran = work.commit();
    expectCaptured(work, ran, [session]);
    expect(ran.stderr).not.toMatch(/warning: .*cc-snapshots/);
  }
});

test('a pre-commit hook that formats and stages what is staged, as lint-staged does', () => {
  using work = createWorkplace({ init: false });
  const format =
    "const fs = require('fs'); for (const f of process.argv.slice(1)) fs.writeFileSync(f, JSON.stringify(JSON.parse(fs.readFileSync(f))))";
  work.write('format.cjs', format);
  const hook = work.write(
    '.git/hooks/pre-commit',
    `#!/bin/sh\ngit diff --cached --name-only --diff-filter=ACM -z -- '*.json' | xargs -0 -r "${process.execPath}" -e "$(cat format.cjs)" --\ngit add -u\n`,
  );
  chmodSync(hook, 0o755);
  work.git('add', 'format.cjs');
  work.git('commit', '--quiet', '-m', 'format');
  expect(work.cc('init').code).toBe(0);
  const session = work.session();
  for (const prompt of ['one', 'two']) {
    session.say(prompt);
    work.write('data.json', `{ "prompt": "${prompt}" }\n`);
    work.git('add', 'data.json');
    const { context_id } = expectCaptured(work, work.run('git', ['commit', '-m', prompt]), [session]);
    expect(snapshotOf(work, context_id)).toMatchObject({ context_id });
    expect(readFileSync(`${work.dir}/data.json`, 'utf8')).toBe(`{"prompt":"${prompt}"}`);
  }
});
