import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { TestRepo } from './repo.ts';

/**
 * Installs an adapter as a third party would write one into a repository: `npm:folder-adapter`, a store in a folder.
 * @returns the folder; a file `down` beside it makes the store unreachable.
 */
export function installFolderAdapter(repo: TestRepo, dir = repo.dir): string {
  const folder = join(repo.home, 'bucket');
  const path = (name: string) => join(dir, 'node_modules/folder-adapter', name);
  mkdirSync(path('.'), { recursive: true });
  writeFileSync(
    path('package.json'),
    JSON.stringify({ name: 'folder-adapter', version: '1.0.0', type: 'module', exports: './index.js' }),
  );
  writeFileSync(
    path('index.js'),
    `import * as fs from 'node:fs';
import { dirname, join } from 'node:path';
const root = ${JSON.stringify(folder)};
const check = () => {
  fs.mkdirSync(root, { recursive: true });
  if (fs.existsSync(root + '.down')) throw new Error('the folder is out of reach');
  fs.appendFileSync(root + '.log', '.');
};
export default (url) => ({
  url,
  id: async () => 'folder',
  async put(key, bytes) {
    check();
    const path = join(root, key);
    fs.mkdirSync(dirname(path), { recursive: true });
    try { fs.writeFileSync(path, bytes, { flag: 'wx' }); } catch (error) { if (error.code !== 'EEXIST') throw error; }
  },
  async get(key) {
    check();
    try { return fs.readFileSync(join(root, key)); } catch { return null; }
  },
  async has(keys) { check(); return new Set(keys.filter((key) => fs.existsSync(join(root, key)))); },
  async *list(prefix) {
    check();
    for (const path of fs.globSync('**/*', { cwd: root })) if (path.startsWith(prefix) && fs.statSync(join(root, path)).isFile()) yield path;
  },
  async delete(key) { fs.rmSync(join(root, key), { force: true }); },
  async close() {},
});
`,
  );
  return folder;
}
