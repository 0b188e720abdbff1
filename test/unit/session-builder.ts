import type { TranscriptRecord } from '../../src/claude/records.ts';

/** Records of a session as Claude Code writes them; each follows the one before it unless told otherwise. */
export interface SessionBuilder {
  records: TranscriptRecord[];
  prompt(text: string, more?: TranscriptRecord): string;
  reply(id: string, block: object | string, more?: TranscriptRecord): string;
  call(id: string, callId: string, more?: TranscriptRecord): string;
  result(callId: string, content: unknown, more?: TranscriptRecord): string;
  add(record: TranscriptRecord): string;
}

/** `name` is the session's id and the beginning of its uuids; its clock starts at `start` and goes on a second with each record. */
export function session(name: string, start = '2026-01-01T10:00:00.000Z'): SessionBuilder {
  const records: TranscriptRecord[] = [];
  let parentUuid: string | null = null;
  let clock = Date.parse(start);
  const add = (record: TranscriptRecord): string => {
    const uuid = `${name}-${records.length + 1}`;
    const timestamp = new Date(clock).toISOString();
    const built = {
      parentUuid,
      isSidechain: false,
      sessionId: name,
      version: '2.1.329',
      cwd: '/repo',
      uuid,
      timestamp,
      ...record,
    };
    records.push(built);
    clock = Date.parse(built.timestamp as string) + 1000;
    parentUuid = built.uuid as string;
    return parentUuid;
  };
  const say = (role: string, content: unknown, more: TranscriptRecord = {}, fields = {}): string =>
    add({ type: role, message: { role, content, ...fields }, ...more });
  const reply = (id: string, block: object | string, more?: TranscriptRecord): string =>
    say('assistant', [typeof block === 'string' ? { type: 'text', text: block } : block], more, {
      id,
      model: 'claude',
      usage: { input_tokens: 7 },
    });
  return {
    records,
    add,
    reply,
    prompt: (text, more) => say('user', text, more),
    call: (id, callId, more) => reply(id, { type: 'tool_use', id: callId, name: 'Bash', input: { command: callId } }, more),
    result: (callId, content, more) => say('user', [{ type: 'tool_result', tool_use_id: callId, content }], more),
  };
}
