/** Bundles the command line and the hook entry into dist/. Dependencies are bundled, except the native one. */
import { rmSync } from 'node:fs';
import { build } from 'esbuild';

const common = {
  bundle: true,
  platform: 'node',
  format: 'esm',
  target: 'node22.13',
  outdir: 'dist',
  external: ['better-sqlite3'],
  legalComments: 'linked',
  // Bundled CommonJS libraries call require for Node's own modules.
  banner: { js: "import { createRequire as __createRequire } from 'node:module'; const require = __createRequire(import.meta.url);" },
};

rmSync('dist', { recursive: true, force: true });
// The hook is one file of its own: nothing that only commands need is on the path of a commit.
await build({ ...common, entryPoints: ['src/hook.ts'], minify: true });
await build({ ...common, entryPoints: ['src/cli.ts'], splitting: true, chunkNames: '[name]-[hash]' });
