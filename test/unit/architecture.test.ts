import { globSync, readFileSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';
import { expect, test } from 'vitest';

/** A folder of src/ and the folders it may import from besides itself. Files beside them (errors, messages) are open to all. */
const MAY_IMPORT: Record<string, string[]> = {
  core: [],
  ui: ['core'],
  config: ['core', 'git'],
  git: ['core', 'ui'],
  claude: ['core'],
  storage: ['core', 'storage-adapters'],
  'storage-adapters': ['storage'],
  testing: ['storage'],
  capture: ['core', 'claude', 'git', 'storage', 'ui'],
  context: ['core', 'claude', 'git', 'storage', 'config', 'capture', 'ui'],
  commands: ['core', 'claude', 'git', 'storage', 'config', 'capture', 'context', 'ui', 'storage-adapters'],
};

const root = join(import.meta.dirname, '../..');
const folderOf = (file: string) => (file.startsWith('src/') ? (file.split('/')[1] as string) : (file.split('/')[0] as string));
const files = ['src/*/**/*.ts', 'storage-adapters/**/*.ts'].flatMap((pattern) => globSync(pattern, { cwd: root }));

const imports = files.flatMap((file) =>
  [...readFileSync(join(root, file), 'utf8').matchAll(/(?:from|import\()\s*'(\.[^']+)'/g)].map(([, path]) => ({
    from: file,
    to: normalize(join(dirname(file), path as string)),
  })),
);

test('the files are found', () => expect(imports.length).toBeGreaterThan(50));

test.each(Object.keys(MAY_IMPORT))('%s imports only what lies below it', (folder) => {
  const wrong = imports
    .filter(({ from, to }) => folderOf(from) === folder && folderOf(to) !== folder && !/^src\/[^/]+\.ts$/.test(to))
    .filter(({ to }) => !MAY_IMPORT[folder]?.includes(folderOf(to)));
  expect(wrong).toEqual([]);
});

test('every folder is in the table', () => {
  expect([...new Set(files.map(folderOf))].sort()).toEqual(Object.keys(MAY_IMPORT).sort());
});
