/** After `npm install` in a clone: builds, and sets up this repository's own hooks with husky. A packed package has neither. */
import { existsSync } from 'node:fs';

if (existsSync('src')) await import('./build.mjs');
if (existsSync('.git') && !process.env.CI) console.log((await import('husky')).default() || 'hooks are set up');
