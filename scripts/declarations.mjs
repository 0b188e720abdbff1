/** Writes the declarations of what the package exports: each file's own, without a look at the types of others (isolated declarations). */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import ts from 'typescript';

const compilerOptions = {
  target: ts.ScriptTarget.ESNext,
  module: ts.ModuleKind.ESNext,
  verbatimModuleSyntax: true,
  isolatedDeclarations: true,
};

/** @param entries files in `src`; what they import of it is written too, to the same place below `outdir`. */
export function writeDeclarations(entries, outdir) {
  const files = new Set(entries);
  for (const file of files) {
    const { outputText, diagnostics } = ts.transpileDeclaration(readFileSync(file, 'utf8'), { fileName: file, compilerOptions });
    if (diagnostics.length > 0) throw new Error(ts.formatDiagnostics(diagnostics, formatHost));
    const path = join(outdir, relative('src', file)).replace(/\.ts$/, '.d.ts');
    mkdirSync(dirname(path), { recursive: true });
    const importing = /(?<=from ')(\.[^']+)\.ts(?=')/g;
    writeFileSync(path, outputText.replaceAll(importing, '$1.js'));
    for (const [, imported] of outputText.matchAll(importing)) files.add(`${join(dirname(file), imported)}.ts`);
  }
}

const formatHost = {
  getCanonicalFileName: (name) => name,
  getCurrentDirectory: () => process.cwd(),
  getNewLine: () => '\n',
};
