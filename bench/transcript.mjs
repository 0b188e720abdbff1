import { appendFileSync, mkdirSync } from 'node:fs';
import { dirname } from 'node:path';
import { makeProject } from './project.mjs';
import { seeded } from './random.mjs';
import { vocabulary } from './words.mjs';

/** Shares of the tools among the calls of real sessions, in percent. */
const TOOLS = Object.entries({ Bash: 42, Read: 22, Edit: 19, Write: 6, Grep: 11 }).flatMap(([tool, share]) =>
  Array(share).fill(tool),
);
/** Files that a session works on at a time, and how many turns until it turns to another one. */
const AT_HAND = 8;
/** Bytes written at once. */
const AT_ONCE = 4_000_000;
/** Megabytes between two screenshots. */
const IMAGE_EVERY = 4;

/**
 * A session as Claude Code writes it, made up: records of the kinds, sizes and repetitions of real ones, without their text.
 * docs/performance.md says how it compares with real transcripts.
 */
export function makeTranscript({ path, sessionId, cwd, seed = 1 }) {
  const random = seeded(seed);
  const project = makeProject(random, vocabulary(random), cwd);
  const files = Array.from({ length: AT_HAND }, () => project.file());
  let time = Date.UTC(2026, 0, 5, 9);
  let parentUuid = null;
  let context = 20_000;
  /** Records that are made but not in the file yet. */
  const waiting = [];
  let made = 0;
  let size = 0;
  let image = 0;

  const write = (record) => {
    const line = Buffer.from(`${JSON.stringify(record)}\n`);
    waiting.push(line);
    made += line.length;
  };
  const chained = (fields) => {
    const uuid = random.uuid();
    time += random.between(20, 9000);
    const base = {
      parentUuid,
      isSidechain: false,
      userType: 'external',
      cwd,
      sessionId,
      version: '2.1.39',
      gitBranch: 'feature/made-up',
    };
    write({ ...base, ...fields, uuid, timestamp: new Date(time).toISOString() });
    parentUuid = uuid;
  };
  const progress = (event, tool, id) =>
    chained({
      type: 'progress',
      data: {
        type: 'hook_progress',
        hookEvent: event,
        hookName: `${event}:${tool}`,
        command: '${CLAUDE_PLUGIN_ROOT}/scripts/tool-call.sh',
      },
      parentToolUseID: id,
      toolUseID: id,
    });
  const usage = () => {
    const fresh = random.longTailed(600, 20_000);
    context = context > 160_000 ? 25_000 : context + fresh;
    return {
      input_tokens: random.between(1, 4),
      cache_creation_input_tokens: fresh,
      cache_read_input_tokens: context,
      cache_creation: { ephemeral_5m_input_tokens: 0, ephemeral_1h_input_tokens: fresh },
      output_tokens: random.longTailed(150, 8000),
      service_tier: 'standard',
      inference_geo: 'not_available',
    };
  };
  /** One API message: a line for each of its blocks, the usage repeated. */
  const reply = (blocks, stop_reason) => {
    const message = { model: 'claude-opus-4-6', id: `msg_01${random.id(22)}`, type: 'message', role: 'assistant' };
    const tokens = usage();
    const requestId = `req_011${random.id(21)}`;
    for (const block of blocks) {
      chained({
        message: { ...message, content: [block], stop_reason, stop_sequence: null, usage: tokens },
        requestId,
        type: 'assistant',
      });
    }
  };
  const thinking = () => ({
    type: 'thinking',
    thinking: project.prose(random.longTailed(40, 400)),
    signature: random.base64(4 * random.longTailed(110, 1500)),
  });
  const numbered = (from, shown) => shown.map((text, at) => `${String(from + at + 1).padStart(6)}→${text}`).join('\n');

  const tools = {
    Bash() {
      const command = `cd ${cwd} && npm ${random.pick(['test', 'run build', 'run lint', 'ls'])} -- ${random.pick(files).path} 2>&1 | tail -${random.below(80)}`;
      const passed = () =>
        `\u001b[32m ✓ \u001b[39m${random.pick(files).path} > ${project.prose(random.between(3, 9))} ${random.below(400)}ms`;
      const coloured = random.chance(0.1);
      const line = () => (coloured && random.chance(0.5) ? passed() : project.line(random.pick(files).own));
      const stdout = Array.from({ length: random.longTailed(8, 300) }, line).join('\n');
      const result = { stdout, stderr: '', interrupted: false, isImage: false };
      return { input: { command, description: project.prose(6) }, content: stdout, result };
    },
    Read() {
      const { path: filePath, lines: all } = random.oftenFirst(files);
      const start = random.chance(0.6) ? 0 : random.below(all.length);
      const shown = all.slice(start, start + (random.chance(0.5) ? 2000 : random.between(20, 120)));
      const file = { filePath, content: shown.join('\n'), numLines: shown.length, startLine: start + 1, totalLines: all.length };
      return {
        input: { file_path: filePath, offset: start, limit: 2000 },
        content: numbered(start, shown),
        result: { type: 'text', file },
      };
    },
    Edit() {
      const file = random.oftenFirst(files);
      const { at, old, fresh, original, around } = project.edit(file);
      const [oldString, newString] = [old.join('\n'), fresh.join('\n')];
      const hunk = { oldStart: at, oldLines: old.length, newStart: at, newLines: fresh.length };
      const structuredPatch = [{ ...hunk, lines: [...old.map((text) => `-${text}`), ...fresh.map((text) => `+${text}`)] }];
      return {
        input: { replace_all: false, file_path: file.path, old_string: oldString, new_string: newString },
        content: `The file ${file.path} has been updated. Here's the result of running \`cat -n\` on a snippet:\n${numbered(at, around)}`,
        result: {
          filePath: file.path,
          oldString,
          newString,
          originalFile: original,
          structuredPatch,
          userModified: false,
          replaceAll: false,
        },
      };
    },
    Write() {
      const made = project.file();
      files.unshift(made);
      files.pop();
      const content = made.lines.join('\n');
      return {
        input: { file_path: made.path, content },
        content: `File created successfully at: ${made.path}`,
        result: { type: 'create', filePath: made.path, content, structuredPatch: [], originalFile: null },
      };
    },
    Grep() {
      const filenames = Array.from({ length: random.below(12) }, () => random.pick(files).path);
      const content = `Found ${filenames.length} files\n${filenames.join('\n')}`;
      return {
        input: { pattern: random.pick(files[0].own), output_mode: 'files_with_matches' },
        content,
        result: { mode: 'files_with_matches', filenames },
      };
    },
  };
  const call = () => {
    const name = random.pick(TOOLS);
    const id = `toolu_01${random.id(22)}`;
    const { input, content, result } = tools[name]();
    const before = [
      ...(random.chance(0.25) ? [thinking()] : []),
      ...(random.chance(0.3) ? [{ type: 'text', text: project.prose(20) }] : []),
    ];
    reply([...before, { type: 'tool_use', id, name, input }], null);
    if (random.chance(0.7)) progress('PreToolUse', name, id);
    if (random.chance(0.7)) progress('PostToolUse', name, id);
    const from = parentUuid;
    const message = { role: 'user', content: [{ tool_use_id: id, type: 'tool_result', content, is_error: false }] };
    chained({ type: 'user', message, toolUseResult: result, sourceToolAssistantUUID: from });
  };
  const screenshot = () => {
    const source = { type: 'base64', media_type: 'image/png', data: random.base64(60_000) };
    chained({
      type: 'user',
      message: {
        role: 'user',
        content: [
          { type: 'image', source },
          { type: 'text', text: project.prose(12) },
        ],
      },
    });
  };
  const turn = () => {
    const messageId = random.uuid();
    const snapshot = { messageId, trackedFileBackups: {}, timestamp: new Date(time).toISOString() };
    write({ type: 'file-history-snapshot', messageId, snapshot, isSnapshotUpdate: false });
    if (made > image * IMAGE_EVERY * 1e6) {
      image += 1;
      screenshot();
    } else {
      chained({
        type: 'user',
        message: { role: 'user', content: project.prose(random.longTailed(25, 600)) },
        todos: [],
        permissionMode: 'default',
      });
    }
    for (let calls = random.between(2, 24); calls > 0; calls -= 1) call();
    reply([{ type: 'text', text: project.prose(random.longTailed(90, 500)) }], 'end_turn');
    if (random.chance(0.5)) files[random.below(AT_HAND)] = project.file();
  };

  mkdirSync(dirname(path), { recursive: true });
  return {
    path,
    sessionId,
    /** Appends records until the file is at least this long (bytes). */
    growTo(bytes) {
      while (size < bytes) {
        while (made < Math.min(bytes, size + AT_ONCE)) turn();
        const fitting = [];
        while (waiting.length > 0 && size < bytes) {
          const line = waiting.shift();
          fitting.push(line);
          size += line.length;
        }
        appendFileSync(path, Buffer.concat(fitting), { mode: 0o600 });
      }
    },
    get size() {
      return size;
    },
  };
}
