import { readFileSync } from 'node:fs';

/** The version of the package; package.json lies one folder above both src/ and dist/. */
export const VERSION: string = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8')).version;
