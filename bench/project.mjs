/**
 * The source files that a made session reads and edits. Their text is random, but as repetitive as programs are: few shapes of
 * lines, names that come back.
 * @param {ReturnType<typeof import('./random.mjs').seeded>} random
 * @param {ReturnType<typeof import('./words.mjs').vocabulary>} vocabulary
 */
export function makeProject(random, { names, words, capital }, top) {
  const name = (own) => (random.chance(0.65) ? random.pick(own) : random.oftenFirst(names));
  const prose = (count) => Array.from({ length: count }, () => random.oftenFirst(words)).join(' ');
  const shapes = [
    (n) => `const ${n()} = ${n()}(${n()}, ${n()});`,
    (n) => `const ${n()} = await ${n()}.${n()}(${n()});`,
    (n) => `if (${n()} === ${n()}.${n()}) return ${n()};`,
    (n) => `return ${n()}.${n()}(({ ${n()} }) => ${n()}(${n()}));`,
    (n) => `expect(${n()}(${n()})).toBe("${n()} ${n()}");`,
    (n) => `${n()}.${n()} = ${n()} ?? ${random.below(1000)};`,
    () => `// ${capital(prose(random.between(4, 14)))}.`,
    (n) => `${n()}: "${prose(random.between(1, 6))}",`,
    (n) => `throw new Error(\`${prose(4)} \${${n()}}\`);`,
    (n) => `import { ${n()}, ${n()} } from './${n()}.ts';`,
    (n) => `export function ${n()}(${n()}: ${capital(n())}): ${capital(n())} {`,
    () => '}',
    () => '',
  ];
  const line = (own) => {
    const text = random.pick(shapes)(() => name(own));
    return text === '' ? '' : '  '.repeat(random.below(4)) + text;
  };
  const file = () => {
    const own = Array.from({ length: 18 }, () => random.pick(names));
    const folder = Array.from({ length: random.between(1, 3) }, () => random.oftenFirst(names).toLowerCase()).join('/');
    return {
      path: `${top}/src/${folder}/${random.pick(names)}.ts`,
      own,
      lines: Array.from({ length: random.longTailed(120, 1200) }, () => line(own)),
    };
  };

  return {
    file,
    line,
    prose,
    /** Replaces a few lines. Gives what stood there, what stands there now, and how the file looked before. */
    edit(edited) {
      const at = random.below(edited.lines.length);
      const old = edited.lines.slice(at, at + random.between(1, 8));
      const fresh = [
        ...old.filter(() => random.chance(0.5)),
        ...Array.from({ length: random.between(1, 8) }, () => line(edited.own)),
      ];
      const original = edited.lines.join('\n');
      edited.lines.splice(at, old.length, ...fresh);
      return { at, old, fresh, original, around: edited.lines.slice(Math.max(0, at - 4), at + fresh.length + 4) };
    },
  };
}
