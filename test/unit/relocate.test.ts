import { existsSync, globSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { readRecords } from '../../src/claude/records.ts';
import { relocator } from '../../src/claude/relocate.ts';
import type { Block } from '../../src/core/conversation.ts';
import { applyEdits, mergeEdits } from '../../src/core/edits.ts';
import { type Move, movesOf, pathFinder } from '../../src/core/moved-paths.ts';

const OLD = '11111111-1111-4111-8111-111111111111';
const COPY = '22222222-2222-4222-8222-222222222222';
const NEW = '33333333-3333-4333-8333-333333333333';
const FOLDER = `/home/bob/.claude/projects/-new-place/${NEW}`;
const SIDE = {
  sessionIds: [OLD],
  folder: FOLDER,
  paths: ['tool-results/b1x2.txt', 'subagents/agent-a1b2c3.jsonl', 'subagents/agent-a1b2c3.meta.json'],
};
const NO_SIDE = { sessionIds: [], folder: FOLDER, paths: [] };

const call = (input: object): Block => ({ type: 'tool_use', id: 'toolu_1', name: 'Bash', input });
const answer = (content: unknown): Block => ({ type: 'tool_result', tool_use_id: 'toolu_1', content });
const move = (text: string, ...moves: Move[]) => applyEdits(text, pathFinder(moves)(text));

describe('paths below a directory', () => {
  test.each([
    ['/a/b', '/n w'],
    ['/a/b/', '/n w/'],
    ['/a/b/c.ts:12:3', '/n w/c.ts:12:3'],
    ['/a/b:12', '/n w:12'],
    ['cd /a/b && ls', 'cd /n w && ls'],
    ['"/a/b/c"', '"/n w/c"'],
    ["'/a/b'", "'/n w'"],
    ['`/a/b`', '`/n w`'],
    ['x\n/a/b\ny', 'x\n/n w\ny'],
    ['<path>/a/b/c</path>', '<path>/n w/c</path>'],
    ['{"cwd":"/a/b"}', '{"cwd":"/n w"}'],
    ['"out\\n/a/b/c\\n"', '"out\\n/n w/c\\n"'],
    ['\x1b[36m/a/b/c\x1b[0m', '\x1b[36m/n w/c\x1b[0m'],
    ['PATH=/a/b/bin:/usr/bin:/a/b', 'PATH=/n w/bin:/usr/bin:/n w'],
    ['(/a/b), [/a/b], /a/b; /a/b, /a/b. Is it /a/b?', '(/n w), [/n w], /n w; /n w, /n w. Is it /n w?'],
    ['building /a/b...', 'building /n w...'],
    ['ada@host:/a/b$ ls', 'ada@host:/n w$ ls'],
    ['diff --git /a/b/x /a/b/y', 'diff --git /n w/x /n w/y'],
    ['→/a/b/ü', '→/n w/ü'],
    ['file:///a/b/c', 'file:///n%20w/c'],
    ['/a/b/a/b', '/n w/a/b'],
  ])('%j becomes %j', (text, expected) => expect(move(text, ['/a/b', '/n w'])).toBe(expected));

  test.each([
    '/a/bc',
    '/a/b-c',
    '/a/b.c',
    '/a/b..c',
    '/a/b*',
    '/a/b_',
    '/a/bü',
    '/a/b%20c',
    '/a/b\\ c',
    '/a/b$X',
    '/x/a/b',
    'x/a/b',
    './a/b',
    '../a/b',
    '~/a/b',
    '$HOME/a/b',
    '$' + '{HOME}/a/b',
    '$(pwd)/a/b',
    '**/a/b',
    '[ab]/a/b',
    '//a/b',
    'https://a/b',
    'https://host/a/b',
    '\\/a\\/b',
    'ü/a/b',
    'a/b',
    '/A/b',
  ])('%j is another path', (text) => expect(move(text, ['/a/b', '/n'])).toBe(text));

  test('of directories that lie in each other the innermost counts', () => {
    const moves: Move[] = [
      ['/a', '/outer'],
      ['/a/b', '/inner'],
    ];
    for (const order of [moves, moves.toReversed()])
      expect(move('/a/b/c /a/c /a/bc', ...order)).toBe('/inner/c /outer/c /outer/bc');
  });

  test('each place is rewritten once', () => {
    expect(move('/a/b', ['/a', '/a/b'], ['/b', '/c'])).toBe('/a/b/b');
    expect(move('/x /y', ['/x', '/y'], ['/y', '/x'])).toBe('/y /x');
  });

  test('a directory is found in a URL and with backslashes too, and written in the same way', () => {
    const moves: Move = ['/a/my repo_ü', '/n/your "repo" é'];
    expect(move('cd "/a/my repo_ü/x"', moves)).toBe('cd "/n/your "repo" é/x"');
    expect(move('cd /a/my\\ repo_ü/x', moves)).toBe('cd /n/your\\ \\"repo\\"\\ é/x');
    expect(move('file:///a/my%20repo_%C3%BC/x', moves)).toBe('file:///n/your%20%22repo%22%20%C3%A9/x');
  });

  test('names are no patterns', () => {
    expect(move('/a.b+(c)/x /aXb+(c)/x', ['/a.b+(c)', '/$&$1'])).toBe('/$&$1/x /aXb+(c)/x');
  });

  test('the root is no directory that could move', () => expect(move('/etc/x', ['/', '/n'])).toBe('/etc/x'));

  test('there and back is the same, between anything', () => {
    const piece = fc.constantFrom('/a/b', '/a/bc', '/a', '/q', ' ', '\n', '"', '/', 'x', ':', 'a/b', '\\', '$', '.', 'é', '😀');
    const text = fc.array(piece, { maxLength: 30 }).map((parts) => parts.join(''));
    fc.assert(
      fc.property(text, (original) => {
        const moved = move(original, ['/a/b', '/one/where nobody is']);
        expect(moved.replaceAll('/one/where nobody is', '/a/b')).toBe(original);
        expect(move(moved, ['/a/b', '/one/where nobody is'])).toBe(moved);
      }),
    );
  });

  test('edits of two kinds: the first holds where they overlap', () => {
    const edit = (start: number, end: number, text: string) => ({ start, end, text });
    const merged = mergeEdits(
      [edit(2, 4, 'A'), edit(8, 9, 'B')],
      [edit(0, 2, 'c'), edit(3, 5, 'd'), edit(4, 6, 'e'), edit(8, 9, 'f')],
    );
    expect(applyEdits('0123456789', merged)).toBe('cAe67B9');
  });

  test('the old tops of sessions are what is left without the directory in the work tree', () => {
    const sessions = [
      { directory: '/a/b', cwd: '.' },
      { directory: '/a/b/sub/x', cwd: 'sub/x' },
      { directory: '/w/tree/sub', cwd: 'sub' },
      { directory: '/new', cwd: '.' },
      { directory: '/elsewhere', cwd: null },
      { directory: null, cwd: '.' },
      { directory: 'C:\\x', cwd: '.' },
      { directory: '/not/so', cwd: 'sub' },
    ];
    expect(movesOf(sessions, '/new')).toEqual([
      ['/a/b', '/new'],
      ['/w/tree', '/new'],
    ]);
  });
});

describe('paths of side files', () => {
  const { block } = relocator({ side: SIDE, tops: [] });
  const rewrite = (text: string) => block(answer(text))['content'];
  const results = (session: string, config = '/home/ada/.claude') => `${config}/projects/-home-ada-app/${session}/tool-results`;

  test.each([
    [
      `Full output saved to: ${results(OLD)}/b1x2.txt\n\nPreview`,
      `Full output saved to: ${FOLDER}/tool-results/b1x2.txt\n\nPreview`,
    ],
    [`saved to: ${results(OLD, '/home/my user/.cl')}/b1x2.txt\n`, `saved to: ${FOLDER}/tool-results/b1x2.txt\n`],
    [`cat ${results(OLD)}/b1x2.txt | head`, `cat ${FOLDER}/tool-results/b1x2.txt | head`],
    [`cp /etc/passwd ${results(OLD)}/`, `cp /etc/passwd ${FOLDER}/tool-results/`],
    [`"${results(OLD, '/home/my user/.cl')}/other.txt"`, `"${FOLDER}/tool-results/other.txt"`],
    [`ls ~/.claude/projects/-x/${OLD}`, `ls ${FOLDER}`],
    [`file://${results(OLD)}/b1x2.txt`, `file://${FOLDER}/tool-results/b1x2.txt`],
    [`{"t":"a\\n${results(OLD)}/b1x2.txt"}`, `{"t":"a\\n${FOLDER}/tool-results/b1x2.txt"}`],
    [results(OLD.toUpperCase()), `${FOLDER}/tool-results`],
    [`${results(OLD)}/b1x2.txt and ${results(OLD)}/c.txt.`, `${FOLDER}/tool-results/b1x2.txt and ${FOLDER}/tool-results/c.txt.`],
    // the session is a copy: its texts name the one it was copied from
    [`see ${results(COPY)}/b1x2.txt.`, `see ${FOLDER}/tool-results/b1x2.txt.`],
    // a subagent in the background: a link in the temporary directory
    [`output_file: /tmp/claude-0/-a/${OLD}/tasks/a1b2c3.output\nDo`, `output_file: ${FOLDER}/subagents/agent-a1b2c3.jsonl\nDo`],
    [`/tmp/${COPY}/claude-0/-a/${OLD}/tasks/a1b2c3.output`, `${FOLDER}/subagents/agent-a1b2c3.jsonl`],
    [`/tmp/${COPY}/projects/-a/${OLD}/subagents`, `${FOLDER}/subagents`],
  ])('%j becomes %j', (text, expected) => {
    expect(rewrite(text)).toBe(expected);
    expect(rewrite(expected)).toBe(expected);
  });

  test.each([
    `${results(COPY)}/other.txt`,
    `${results(OLD)}`.replace(OLD, `${OLD}.jsonl`),
    `${results(OLD)}`.replace(OLD, `${OLD}0`),
    `/tmp/claude-0/-a/${OLD}/tasks/b9.output`,
    `/notprojects/-a/${OLD}/tool-results/b1x2.txt`,
    `cat /etc/passwd mine/projects/-a/${OLD}/x`,
    `projects/-a/${OLD}/x`,
    OLD,
  ])('%j stays', (text) => {
    const original = answer(text);
    expect(block(original)).toBe(original);
  });

  test('they are rewritten wherever they are named, thinking aside', () => {
    const text = `${results(OLD)}/b1x2.txt`;
    const fresh = `${FOLDER}/tool-results/b1x2.txt`;
    expect(block({ type: 'text', text })).toEqual({ type: 'text', text: fresh });
    expect(block(call({ file_path: text }))).toEqual(call({ file_path: fresh }));
    const thought: Block = { type: 'thinking', thinking: text, signature: 's' };
    expect(block(thought)).toBe(thought);
  });

  test('the new folder may itself lie below a directory that moves', () => {
    const tops: Move[] = [['/home/ada', '/home/bob']];
    const both = relocator({ side: { ...SIDE, folder: '/home/ada/new' }, tops });
    expect(both.result(`${results(OLD)}/b1x2.txt /home/ada/x`)).toBe('/home/ada/new/tool-results/b1x2.txt /home/bob/x');
  });
});

describe('the repository', () => {
  const { block, result } = relocator({ side: NO_SIDE, tops: [['/a/b', '/n']] });

  test('in tool inputs and results, however deep; ids, names of fields and other blocks stay', () => {
    const input = { '/a/b': 1, edits: [{ file: '/a/b/x', n: 1, none: null }] };
    expect(block(call(input))).toEqual(call({ '/a/b': 1, edits: [{ file: '/n/x', n: 1, none: null }] }));
    const nested = [
      { type: 'text', text: 'in /a/b' },
      { type: 'tool_reference', tool_name: 'x' },
    ];
    expect(block(answer(nested))).toEqual(answer([{ type: 'text', text: 'in /n' }, nested[1]]));
    expect(block({ ...answer('/a/b'), tool_use_id: '/a/b' })).toEqual({ ...answer('/n'), tool_use_id: '/a/b' });
    expect(result('/a/b/c')).toBe('/n/c');
  });

  test('what people and the model said stays', () => {
    const said: Block = { type: 'text', text: 'look at /a/b/x' };
    expect(block(said)).toBe(said);
  });

  test('a picture is no text', () => {
    const picture = answer([{ type: 'image', source: { type: 'base64', media_type: 'image/png', data: '/a/b/=' } }]);
    expect(block(picture)).toBe(picture);
  });

  test('the same object where nothing changes; what was given is never changed', () => {
    const other = call({ command: 'ls /a/bc', deep: { list: ['x', { y: 'z' }] } });
    expect(block(other)).toBe(other);
    const frozen = Object.freeze(call(Object.freeze({ command: 'ls /a/b', rest: Object.freeze({ a: 'x' }) })));
    const moved = block(frozen);
    expect(moved).toEqual(call({ command: 'ls /n', rest: { a: 'x' } }));
    expect((moved['input'] as { rest: object }).rest).toBe((frozen['input'] as { rest: object }).rest);
  });

  test('a field of any name survives', () => {
    const input = JSON.parse('{"__proto__":{"x":"/a/b"},"y":"/a/b"}');
    expect(JSON.stringify(block(call(input))['input'])).toBe('{"__proto__":{"x":"/n"},"y":"/n"}');
  });
});

describe('time is linear', () => {
  const { result } = relocator({ side: SIDE, tops: [['/a/b', '/n']] });
  const near = `/projects/-a/${OLD}/x `;
  test.each([
    ['slashes', '/'],
    ['what moves', '/a/b '],
    ['what nearly moves', '/a/bc'],
    ['side files', ` /h${near}`],
    ['side files without a beginning', `h${near}`],
    ['ids in a row', `/${COPY}`],
    ['a folder in a row', `/projects/-a/${OLD}`],
    ['beginnings', ': /'],
    ['backslashes', '\\ '],
    ['dots', '/a/b......'],
    ['colours', '\x1b[0;0;0;0;0;0;0'],
  ])('%s', (_, piece) => {
    const seconds = (length: number) => {
      const text = piece.repeat(Math.ceil(length / piece.length));
      const start = performance.now();
      result(text);
      return (performance.now() - start) / 1000;
    };
    seconds(100_000);
    expect(seconds(4_000_000)).toBeLessThan(4); // some tenths; what is quadratic takes hours
  });
});

const CORPUS = fileURLToPath(new URL('../../../shared/transcripts/', import.meta.url));

describe.skipIf(!existsSync(CORPUS))('real transcripts', () => {
  const files = globSync('**/*.jsonl', { cwd: CORPUS }).sort();

  test('moved and moved back, every block is what it was, and nothing is left of the old place', () => {
    let moved = 0;
    for (const file of files) {
      const { records } = readRecords(readFileSync(CORPUS + file));
      const old = records.map((record) => record['cwd']).find((cwd) => typeof cwd === 'string' && /^\/.+\/./.test(cwd)) as string;
      if (old === undefined) continue;
      const fresh = '/nobody/has this';
      const there = relocator({ side: NO_SIDE, tops: [[old, fresh]] });
      for (const block of records.flatMap(blocksOf)) {
        const changed = there.block(block);
        if (changed === block) continue;
        moved += 1;
        const text = JSON.stringify(changed);
        const back = text.replaceAll(fresh, old).replaceAll(encodeURI(fresh), old);
        expect(back).toBe(JSON.stringify(block));
        expect(text).not.toMatch(new RegExp(`[" ]${old.replace(/\W/g, '\\$&')}[/" ]`));
      }
    }
    expect(moved).toBeGreaterThan(200);
  });

  function blocksOf(record: { readonly [field: string]: unknown }): Block[] {
    const content = (record['message'] as { content?: unknown } | null | undefined)?.content;
    return Array.isArray(content) ? content.filter((block) => block?.type === 'tool_use' || block?.type === 'tool_result') : [];
  }
});
