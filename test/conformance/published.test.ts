import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, inject, test } from 'vitest';

/** The example of docs/adapters.md, as a package of its own that has installed the packed cc-context. */

const root = join(import.meta.dirname, '../..');
const page = readFileSync(join(root, 'docs/adapters.md'), 'utf8');
const modules = join(inject('bin'), '..');
const folder = join(modules, 'my-adapter');

/** A block of code of the page, by the file that its first line names. */
function block(name: string): string {
  const [, code] = new RegExp(`\`\`\`js\n(// ${name.replaceAll('.', '\\.')}\n[\\s\\S]*?)\`\`\`\n`).exec(page) ?? [];
  expect(code, `docs/adapters.md shows no ${name}`).toBeDefined();
  return code as string;
}

function run(program: string, ...args: string[]) {
  const { NODE_OPTIONS: _, NODE_TEST_CONTEXT: __, ...env } = process.env;
  return spawnSync(program, args, { cwd: folder, encoding: 'utf8', env });
}

beforeAll(() => {
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder);
  const [, manifest] = /```json\n(.*?)```\n/s.exec(page) ?? [];
  writeFileSync(join(folder, 'package.json'), manifest as string);
  for (const name of ['index.js', 'conformance.test.js']) writeFileSync(join(folder, name), block(name));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

test('the example passes under node:test', () => {
  const { status, stdout } = run(process.execPath, '--test', '--test-reporter=tap');
  expect(stdout).toMatch(/^# fail 0$/m);
  expect(stdout).toMatch(/^# skipped 0$/m);
  expect(Number(/^# pass (\d+)$/m.exec(stdout)?.[1])).toBeGreaterThan(20);
  expect(status).toBe(0);
});

test('an adapter that overwrites fails it', () => {
  const name = 'overwriting.test.js';
  writeFileSync(join(folder, 'overwriting.js'), block('index.js').replace('OR IGNORE', 'OR REPLACE'));
  writeFileSync(join(folder, name), block('conformance.test.js').replace('./index.js', './overwriting.js'));
  const { status, stdout } = run(process.execPath, '--test', '--test-reporter=tap', '--test-name-pattern=a key keeps', name);
  rmSync(join(folder, name));
  expect(stdout).toMatch(/^\s+not ok \d+ - a key keeps its first value, and to put again is no error$/m);
  expect(status).toBe(1);
});

test('the example agrees with the published types, which hold by themselves', () => {
  const types = join(root, 'node_modules/@types');
  const check = (...files: string[]) =>
    run(
      process.execPath,
      join(root, 'node_modules/typescript/bin/tsc'),
      ...['--noEmit', '--strict', '--checkJs', '--allowJs', '--target', 'es2024', '--module', 'nodenext'],
      ...['--typeRoots', types, '--types', 'node', ...files],
    ).stdout;
  expect(check('index.js', 'conformance.test.js')).toBe('');
  writeFileSync(
    join(folder, 'wrong.ts'),
    "import type { OpenStore } from 'cc-context/adapter';\nexport const open: OpenStore = (url) => ({ url });\n",
  );
  expect(check('wrong.ts')).toMatch(/TS\d+: .*missing the following properties.*id, put, get, has/s);
});

test('only what is meant to be is exported', () => {
  expect(existsSync(join(modules, 'cc-context/dist/cli.js'))).toBe(true);
  const script =
    "import('cc-context/adapter').then(() => import('cc-context/dist/cli.js')).catch((error) => console.log(error.code))";
  expect(run(process.execPath, '--input-type=module', '-e', script).stdout.trim()).toBe('ERR_PACKAGE_PATH_NOT_EXPORTED');
});
