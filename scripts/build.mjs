/** Bundles the command line, the hook entry and what adapters import into dist/. Dependencies are bundled, except the native one. */
import { rmSync } from 'node:fs';
import { build } from 'esbuild';
import { writeDeclarations } from './declarations.mjs';

const common = {
  bundle: true,
  platform: 'node',
  target: 'node22.13',
  outdir: 'dist',
  external: ['better-sqlite3'],
  legalComments: 'linked',
};
/** Bundled CommonJS libraries call require for Node's own modules. */
const requireInModule =
  "import { createRequire as __createRequire } from 'node:module'; const require = __createRequire(import.meta.url);";

rmSync('dist', { recursive: true, force: true });
// The hook is one file of its own: nothing that only commands need is on the path of a commit. CommonJS starts 4 ms sooner than a module.
await build({
  ...common,
  entryPoints: ['src/hook.ts'],
  format: 'cjs',
  outExtension: { '.js': '.cjs' },
  define: { 'import.meta.url': '__filename' },
  minify: true,
});
await build({
  ...common,
  entryPoints: ['src/cli.ts'],
  format: 'esm',
  banner: { js: requireInModule },
  splitting: true,
  chunkNames: '[name]-[hash]',
});
// For those who write an adapter: `cc-context/adapter` (types) and `cc-context/testing`.
await build({ ...common, entryPoints: { adapter: 'src/adapter.ts', testing: 'src/testing/index.ts' }, format: 'esm' });
writeDeclarations(['src/adapter.ts', 'src/testing/index.ts'], 'dist/types');
