import { chmodSync, existsSync, globSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { createPerson, type Person } from '../helpers/claude.ts';
import { CLAUDE_VERSIONS, claudeCommand } from '../helpers/claude-install.ts';
import { type ApiMessage, blocksOf } from '../helpers/messages-api.ts';
import { bash, toolUse } from '../helpers/mock-reply.ts';
import * as make from '../helpers/sessions.ts';
import { openStudio, type RestoredJson, type Studio } from '../helpers/studio.ts';

vi.setConfig({ testTimeout: 90_000 });

let studio: Studio;
afterEach(() => studio.close());

/** A clone of the author's repository, in which cc-context is set up. */
function cloneTo(path: string): string {
  mkdirSync(dirname(path), { recursive: true });
  studio.run('git', ['clone', '--quiet', studio.dir, path]);
  studio.cc('init', [], path);
  return path;
}

const restoreIn = (clone: string, ...args: string[]) => studio.cc<RestoredJson>('restore', ['--yes', ...args], clone);
const idOf = ({ sessions }: RestoredJson) => sessions[0]?.session_id ?? '';
const texts = (messages: ApiMessage[]) => messages.flatMap(blocksOf).map((block) => JSON.stringify(block));
const projects = (person: Person) => join(person.home, '.claude', 'projects');

/** A directory below `top` whose path has this many characters, with spaces and other letters in it. */
function longPath(top: string, length: number): string {
  let path = `${top}/`;
  while (path.length < length) path += path.length % 40 === 39 ? '/' : 'lä ng'[path.length % 5];
  return path.replace(/[ /]$/, 'x').replaceAll(/ ?\/ ?/g, (slash) => slash.replaceAll(' ', '_'));
}

describe.each(CLAUDE_VERSIONS)('a clone elsewhere, Claude Code %s', (version) => {
  beforeEach(async () => {
    studio = await openStudio(version);
    // the client that cc-restore finds, as people have it in their PATH
    const bin = join(studio.person.home, 'bin');
    mkdirSync(bin);
    const quoted = claudeCommand(version).map((word) => `'${word}'`);
    writeFileSync(join(bin, 'claude'), `#!/bin/sh\nexec ${quoted.join(' ')} "$@"\n`);
    chmodSync(join(bin, 'claude'), 0o755);
    studio.person.env['PATH'] = `${bin}:${studio.person.env['PATH']}`;
  });

  const long = (length: number): [string, (home: string) => string] => [
    `whose path has ${length} characters`,
    (home) => longPath(home, length),
  ];
  const spaces = (home: string) => join(home, 'Mes projets é', 'кот 😀 (2)', "it's");
  // 2.0.76 starts slowly, and cannot work at all where the name of a project directory has more than 255 characters.
  const places = version === '2.0.76' ? [long(230)] : [['with spaces and other letters', spaces] as const, long(230), long(400)];
  test.each(places)('%s: resumes, and records name it', async (_, place) => {
    await make.resumedSession(studio.person, studio.dir);
    studio.commit();
    const clone = cloneTo(place(studio.person.home));
    const restored = restoreIn(clone);
    const got = texts(await studio.resume(idOf(restored), 'and now?', clone));
    for (const text of ['print alpha', 'echo alpha', 'alpha was printed', 'and then?', 'that was all'])
      expect(got.filter((block) => block.includes(text))).not.toEqual([]);
    const lines = readFileSync(restored.sessions[0]?.path ?? '', 'utf8')
      .split('\n')
      .filter(Boolean);
    const records = lines.map((line) => JSON.parse(line));
    expect([...new Set(records.flatMap(({ cwd }) => cwd ?? []))]).toEqual([clone]);
    // it went on in the file that was restored, in the only directory of this place
    expect(records.some(({ message }) => JSON.stringify(message)?.includes('and now?'))).toBe(true);
    expect(readdirSync(projects(studio.person))).toHaveLength(2);
    expect(globSync(`*/${idOf(restored)}.jsonl`, { cwd: projects(studio.person) })).toHaveLength(1);
    // and the hook in the clone finds it there
    writeFileSync(join(clone, 'file.txt'), 'from the clone\n');
    studio.run('git', ['commit', '--quiet', '-am', 'from the clone'], clone);
    expect(capturedIn(clone)).toEqual([idOf(restored)]);
  });
});

/** The sessions of the newest commit's context. */
function capturedIn(clone: string): string[] {
  const [head] = studio.cc<{ contexts: { sessions: { session_id: string }[] }[] }[]>('list', ['--limit', '1'], clone);
  return (head?.contexts ?? []).flatMap(({ sessions }) => sessions.map(({ session_id }) => session_id)).sort();
}

describe('two clones of nearly one name, Claude Code 2.1.329', () => {
  beforeEach(async () => {
    studio = await openStudio('2.1.329');
  });

  // Where case does not count, the project directories of the first pair are one directory, as those of the second pair are anywhere.
  test.each([
    ['App', 'app'],
    ['b-c', 'b/c'],
  ])('%s and %s: both resume, and neither has the sessions of the other', async (first, second) => {
    await make.resumedSession(studio.person, studio.dir);
    studio.commit();
    const clones = [first, second].map((name) => cloneTo(join(studio.person.home, 'at', name))) as [string, string];
    const ids = clones.map((clone) => idOf(restoreIn(clone)));
    const folders = ids.map((id) => globSync(`*/${id}.jsonl`, { cwd: projects(studio.person) })[0]?.split('/')[0] ?? '');
    expect(new Set(folders.map((name) => name.toLowerCase())).size).toBe(1);

    for (const [index, clone] of clones.entries()) {
      const got = texts(await studio.resume(ids[index] ?? '', `only said in ${index}`, clone));
      expect(got.filter((block) => block.includes('alpha was printed'))).not.toEqual([]);
      expect(got.join()).not.toContain('only said in');
    }
    for (const [index, clone] of clones.entries()) {
      writeFileSync(join(clone, 'file.txt'), 'changed\n');
      studio.run('git', ['commit', '--quiet', '-am', 'here'], clone);
      expect(capturedIn(clone)).toEqual([ids[index]]);
      expect(JSON.stringify(studio.cc('show', [], clone))).not.toContain(`only said in ${1 - index}`);
      const active = studio.cc<{ active_sessions: { session_id: string }[] }>('status', [], clone).active_sessions;
      expect(active.map(({ session_id }) => session_id)).not.toContain(ids[1 - index]);
    }
  });
});

describe('what comes along, Claude Code 2.1.329', () => {
  let bob: Person;
  let clone: string;
  beforeEach(async () => {
    studio = await openStudio('2.1.329');
    bob = await createPerson({ version: '2.1.329', api: studio.api, name: 'Bob' });
    bob.env['CC_CONTEXT_HOME'] = join(studio.person.home, '.local', 'share', 'cc-context');
    clone = join(bob.home, 'my clone');
  });
  afterEach(() => bob.close());

  /** Restores the author's last commit in a clone of Bob's. */
  function restoreForBob(...args: string[]): string {
    studio.run('git', ['clone', '--quiet', studio.dir, clone]);
    const ada = { ...studio.person.env };
    Object.assign(studio.person.env, bob.env);
    try {
      return idOf(restoreIn(clone, ...args));
    } finally {
      Object.assign(studio.person.env, ada);
    }
  }

  const filesBelow = (folder: string) => globSync('**/*.*', { cwd: folder }).map((path) => join(folder, path));
  const withSuffix = (person: Person, suffix: RegExp) => filesBelow(projects(person)).filter((path) => suffix.test(path));
  const contents = (paths: string[]) => paths.map((path) => readFileSync(path, 'utf8')).join('');
  const typesIn = (text: string) => [
    ...new Set(
      text
        .split('\n')
        .filter(Boolean)
        .map((line) => JSON.parse(line).type as string),
    ),
  ];

  const PERSONAL =
    /"(permission-mode|mode|worktree-state|api-request[a-z-]*|prompt_snapshot|attachment|file-history-snapshot)"|"permissionMode"|"permissionDecision"|"systemPrompt"|worktreePath|Agent SDK|bypassPermissions/;

  async function personalSession(): Promise<void> {
    const id = await make.subagentSession(studio.person, studio.dir);
    const [transcript] = globSync(`*/${id}.jsonl`, { cwd: projects(studio.person) });
    const records = [
      { type: 'permission-mode', permissionMode: 'bypassPermissions', sessionId: id },
      { type: 'worktree-state', worktreeSession: { worktreePath: '/secret/tree', worktreeBranch: 'x' }, sessionId: id },
      { type: 'mode', mode: 'normal', sessionId: id },
    ];
    const path = join(projects(studio.person), transcript ?? '');
    writeFileSync(path, `${records.map((record) => JSON.stringify(record)).join('\n')}\n`, { flag: 'a' });
    const types = typesIn(readFileSync(path, 'utf8'));
    expect(types).toEqual(expect.arrayContaining(['permission-mode', 'worktree-state', 'attachment', 'api-request-shape']));
    studio.commit();
  }

  test('nothing personal is in the session', async () => {
    await personalSession();
    const transcripts = withSuffix(studio.person, /[0-9a-f-]{36}\.jsonl$/);
    expect(contents(transcripts)).toMatch(PERSONAL);
    const id = restoreForBob();
    const written = withSuffix(bob, /[0-9a-f-]{36}\.jsonl$/);
    expect(written).toHaveLength(1);
    expect(contents(written)).not.toMatch(PERSONAL);
    expect(contents(written)).not.toContain(studio.person.home);
    expect(typesIn(contents(written)).sort()).toEqual(['assistant', 'custom-title', 'last-prompt', 'user']);
    expect(readdirSync(dirname(written[0] ?? ''))).toContain(`${id}.jsonl`);
    await bob.prompt('and now?', { cwd: clone, resume: id });
    const request = JSON.stringify(studio.api.lastRequest(id).body);
    expect(request).toContain('somebody looked');
    expect(request).not.toContain(studio.person.home);
  });

  test('nothing personal is in what its subagents left', async () => {
    await personalSession();
    const id = restoreForBob();
    const written = withSuffix(bob, /agent-[^/]*$/);
    expect(written.map((path) => path.split('/').slice(-3, -1))).toEqual([
      [id, 'subagents'],
      [id, 'subagents'],
    ]);
    expect(contents(withSuffix(studio.person, /agent-[^/]*$/))).toMatch(PERSONAL);
    expect(contents(written)).not.toMatch(PERSONAL);
    expect(contents(written)).not.toContain(studio.person.home);
    const [transcript] = written.filter((path) => path.endsWith('.jsonl'));
    const records = contents([transcript ?? ''])
      .split('\n')
      .filter(Boolean)
      .map((line) => JSON.parse(line));
    expect(records.map(({ type }) => type)).toEqual(['user', 'assistant', 'user', 'assistant']);
    expect(records.map(({ parentUuid }) => parentUuid)).toEqual([null, ...records.slice(0, -1).map(({ uuid }) => uuid)]);
    for (const { cwd, sessionId, isSidechain } of records) expect([cwd, sessionId, isSidechain]).toEqual([clone, id, true]);
  });

  test('the paths of overflowed results and of subagents lead to what was restored', async () => {
    const { person, api, dir } = studio;
    await make.largeResultSession(person, dir);
    const input = { description: 'look', prompt: 'look behind', subagent_type: 'general-purpose', run_in_background: true };
    api.when('start somebody', toolUse('Agent', input), 'started', 'told', 'told');
    api.when('look behind', bash('echo behind'), 'nobody there');
    await person.prompt('start somebody', { cwd: dir });
    studio.commit();
    const id = restoreForBob();
    await bob.prompt('and now?', { cwd: clone, resume: id });
    const got = JSON.stringify(api.lastRequest(id).body.messages);
    const [, saved = ''] = /Full output saved to: (\S(?:[^\\]|\\[^n])*)\\n/.exec(got) ?? [];
    expect(saved.startsWith(`${projects(bob)}/`)).toBe(true);
    expect(readFileSync(saved, 'utf8')).toBe(readFileSync(join(person.home, 'large.txt'), 'utf8'));
    const [, output = ''] = /output_file: (\S(?:[^\\]|\\[^n])*)\\n/.exec(got) ?? [];
    expect(output.startsWith(`${projects(bob)}/`)).toBe(true);
    expect(readFileSync(output, 'utf8')).toContain('nobody there');
    expect(got).toContain('<output-file>');
    for (const place of [projects(person), join(person.home, 'tmp')]) expect(got).not.toContain(`${place}/`);
  });

  test.each([false, true])('paths of the repository in tool calls and results (rewritten: %s); prompts stay', async (rewrite) => {
    const { person, api, dir } = studio;
    const prompt = `read ${dir}/file.txt`;
    writeFileSync(join(dir, 'file.txt'), 'content\n');
    api.when(
      prompt,
      [toolUse('Read', { file_path: `${dir}/file.txt` }), bash(`ls -d "${dir}/file.txt" "${dir}-not"`)],
      'that was it',
    );
    await person.prompt(prompt, { cwd: dir });
    studio.commit();
    const id = restoreForBob(...(rewrite ? ['--rewrite-paths'] : []));
    await bob.prompt('and now?', { cwd: clone, resume: id });
    const blocks = api.lastRequest(id).body.messages.flatMap(blocksOf);
    const top = rewrite ? clone : dir;
    expect(blocks.flatMap(({ input }) => (input === undefined ? [] : [input]))).toEqual([
      { file_path: `${top}/file.txt` },
      expect.objectContaining({ command: `ls -d "${top}/file.txt" "${dir}-not"` }),
    ]);
    const results = JSON.stringify(blocks.filter(({ type }) => type === 'tool_result'));
    expect(results).toContain(`${top}/file.txt`);
    expect(results).toContain(`${dir}-not`);
    expect(blocks.map((block) => block['text'])).toContain(prompt);
    if (rewrite) expect(existsSync(`${clone}/file.txt`)).toBe(true);
  });
});
