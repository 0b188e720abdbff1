import { randomUUID } from 'node:crypto';
import { copyFileSync, cpSync, existsSync, globSync, mkdirSync, readFileSync, statSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { type CapturedSession, captureSession } from '../../src/capture/read-session.ts';
import { allMessages } from '../../src/claude/conversation.ts';
import { sessionFiles, type TranscriptFile } from '../../src/claude/discover.ts';
import { projectName } from '../../src/claude/paths.ts';
import { readRecords } from '../../src/claude/records.ts';
import { conversationOf } from '../../src/context/conversations.ts';
import { fileBytes, transcriptOf } from '../../src/context/sessions.ts';
import { mergeConversations, turnsOf } from '../../src/core/merge.ts';
import { type ContextStore, contextStore } from '../../src/storage/context-store.ts';
import { messageText } from '../../src/ui/message-text.ts';
import { memoryStore } from '../../storage-adapters/memory/index.ts';
import { expectNoTrace } from '../helpers/plain-sentence.ts';
import { createWorkplace } from '../helpers/workplace.ts';

const folder = join(import.meta.dirname, '../../../shared/transcripts');
/** Every transcript that is a session of its own: not the files in the folder of another. */
const transcripts = existsSync(folder)
  ? globSync('**/*.jsonl', { cwd: folder })
      .filter((path) => !/\/(subagents|tool-results|workflows)\//.test(path))
      .sort()
  : [];

function found(path: string): TranscriptFile {
  const { size, mtimeMs } = statSync(path);
  const name = basename(path, '.jsonl');
  return { session_id: /^[0-9a-f-]{36}$/.test(name) ? name : '00000000-0000-4000-8000-000000000000', path, size, mtime: mtimeMs };
}

async function captured(path: string, redact: boolean, store: ContextStore, before?: CapturedSession): Promise<CapturedSession> {
  const earlier = (name: string) => before?.progress.get(name) ?? null;
  const result = await captureSession(found(path), {
    store,
    redact,
    deadline: Number.POSITIVE_INFINITY,
    earlier,
    account: null,
    top: '/',
  });
  await store.flush();
  return result;
}

describe.runIf(transcripts.length > 0)('real transcripts', () => {
  test('are there', () => expect(transcripts.length).toBeGreaterThan(50));

  test.each(transcripts)('%s: its blobs give back the same bytes', async (name) => {
    const path = join(folder, name);
    const store = contextStore(memoryStore());
    const { session } = await captured(path, false, store);
    const files = sessionFiles(found(path));
    expect(session.files.map((file) => file.path)).toEqual(files.map((file) => file.name));
    for (const [at, file] of files.entries()) {
      expect((await fileBytes(session.files[at] as (typeof session.files)[0], store)).equals(readFileSync(file.path))).toBe(true);
    }
  });

  test.each(transcripts)('%s: redacted, it is the same records, and can be read', async (name) => {
    const path = join(folder, name);
    const store = contextStore(memoryStore());
    const { session } = await captured(path, true, store);
    const redacted = await fileBytes(transcriptOf(session), store);
    const [before, after] = [readRecords(readFileSync(path)), readRecords(redacted)];
    expect(after.bad_lines).toBe(before.bad_lines);
    expect(after.records.map(({ uuid, type }) => [uuid, type])).toEqual(before.records.map(({ uuid, type }) => [uuid, type]));
    const turns = turnsOf(mergeConversations([await conversationOf(session, store)]));
    for (const message of turns.flatMap((turn) => turn.messages))
      expect(typeof messageText(message, { tools: true })).toBe('string');
    for (const message of allMessages(session.session_id, after.records)) expect(typeof messageText(message)).toBe('string');
  });
});

const growing = globSync('entireio-cli/growing/*/*.jsonl', { cwd: folder })
  .map((name) => join(folder, name))
  .sort((a, b) => statSync(a).size - statSync(b).size);

test.runIf(growing.length > 1)(
  'a session that grows is stored whole at each commit, and what it had already only once',
  async () => {
    const work = createWorkplace({ init: false, begin: false });
    using _ = work;
    const path = join(work.home, `${randomUUID()}.jsonl`);
    const blobs = memoryStore();
    const store = contextStore(blobs);
    const versions: { bytes: Buffer; session: CapturedSession }[] = [];
    for (const version of growing) {
      copyFileSync(version, path);
      versions.push({ bytes: readFileSync(version), session: await captured(path, false, store, versions.at(-1)?.session) });
    }
    for (const { bytes, session } of versions)
      expect((await fileBytes(transcriptOf(session.session), store)).equals(bytes)).toBe(true);
    let kept = 0;
    for await (const key of blobs.list('blobs/')) kept += ((await blobs.get(key)) as Buffer).length;
    const alone = memoryStore();
    const last = await captured(path, false, contextStore(alone));
    let once = 0;
    for await (const key of alone.list('blobs/')) once += ((await alone.get(key)) as Buffer).length;
    expect(last.session.message_count).toBe(versions.at(-1)?.session.session.message_count);
    expect(kept).toBeLessThan(once * 1.3);
  },
);

describe.runIf(transcripts.length > 0)('through the real hook', () => {
  const sample = transcripts.filter((_, at) => at % Math.ceil(transcripts.length / 10) === 0);
  test.each(sample)('%s', (name) => {
    using work = createWorkplace();
    work.git('config', 'cc-context.redact', 'false');
    const session = work.session();
    mkdirSync(dirname(session.path), { recursive: true });
    copyFileSync(join(folder, name), session.path);
    const side = join(folder, name).slice(0, -'.jsonl'.length);
    if (existsSync(side)) cpSync(side, session.path.slice(0, -'.jsonl'.length), { recursive: true });
    expect(dirname(session.path)).toContain(projectName(work.dir));
    const { stderr } = work.commit(undefined, { CLAUDE_CODE_SESSION_ID: session.id });
    expectNoTrace(stderr);
    expect(stderr).toContain('✓ Captured Claude context');
    for (const option of ['--markdown', '--all-branches']) expect(work.cc('show', option)).toMatchObject({ code: 0, stderr: '' });
    // A transcript of a subagent alone, or of notices only, has nothing that a session could go on with.
    for (const { code, stderr } of [work.cc('show', '--jsonl'), work.cc('restore', '--yes')]) {
      expectNoTrace(stderr);
      if (code !== 0) expect(stderr).toContain('has no message that a session could go on with');
    }
  });
});
