import { describe, expect, test } from 'vitest';
import { allMessages, readConversation } from '../../src/claude/conversation.ts';
import type { Conversation } from '../../src/core/conversation.ts';
import { countMessages, NO_RESULT, promptOf, textOf } from '../../src/core/conversation.ts';
import type { SessionBuilder } from './session-builder.ts';
import { session } from './session-builder.ts';

const read = ({ records }: SessionBuilder): Conversation => readConversation('s', records);
/** Turns in short: the texts, calls and results of each message. */
const outline = (conversation: Conversation): string[][] =>
  conversation.turns.map((turn) =>
    turn.messages.map(({ role, content }) =>
      [role[0], ...content.map((block) => block['text'] ?? block['id'] ?? `${block['tool_use_id']}=${block['content']}`)].join(
        ' ',
      ),
    ),
  );

test('a turn is a prompt and everything up to the next one', () => {
  const s = session('s');
  s.prompt('one');
  s.call('m1', 't1');
  s.result('t1', 'r1');
  s.reply('m2', 'done');
  s.prompt('two');
  s.reply('m3', 'again');
  const conversation = read(s);
  expect(outline(conversation)).toEqual([
    ['u one', 'a t1', 'u t1=r1', 'a done'],
    ['u two', 'a again'],
  ]);
  expect(conversation).toMatchObject({ session_id: 's', agent_version: '2.1.329', cwd: '/repo', title: null, closed_calls: 0 });
  expect(conversation.turns.map((turn) => turn.at)).toEqual(['2026-01-01T10:00:00.000Z', '2026-01-01T10:00:04.000Z']);
  expect(countMessages(conversation.turns)).toBe(6);
});

test('the title is the one the person gave, else the one Claude Code made', () => {
  const s = session('s');
  s.prompt('one');
  s.records.push({ type: 'ai-title', aiTitle: 'made' });
  expect(read(s).title).toBe('made');
  s.records.push({ type: 'custom-title', customTitle: 'given' });
  expect(read(s).title).toBe('given');
});

describe('replies', () => {
  test('parallel calls are one reply and one answer, in the order of the calls, wherever the chain goes', () => {
    const s = session('s');
    s.prompt('one');
    s.reply('m1', 'I look');
    const a = s.call('m1', 'ta');
    const b = s.call('m1', 'tb');
    s.result('tb', 'rb', { parentUuid: b });
    s.result('ta', 'ra', { parentUuid: a });
    s.reply('m2', 'done');
    expect(outline(read(s))).toEqual([['u one', 'a I look ta tb', 'u ta=ra tb=rb', 'a done']]);
    expect(read(s).turns[0]?.messages[1]).toMatchObject({ id: 'm1', model: 'claude', usage: { input_tokens: 7 } });
  });

  test('a call without a result is closed and counted; with all branches it stays open', () => {
    const s = session('s');
    s.prompt('commit');
    s.call('m1', 'ta');
    const b = s.call('m1', 'tb');
    s.result('tb', 'rb', { parentUuid: b });
    expect(outline(read(s))).toEqual([['u commit', 'a ta tb', `u ta=${NO_RESULT} tb=rb`]]);
    expect(read(s).closed_calls).toBe(1);
    expect(read(s).turns[0]?.messages[2]?.content[0]).toMatchObject({ is_error: true });
    expect(allMessages('s', s.records).flatMap((message) => message.content)).toHaveLength(4);
  });

  test('a call id that comes again has its own result, or none', () => {
    const s = session('s');
    s.prompt('one');
    s.call('m1', 't1');
    s.result('t1', 'first');
    s.call('m2', 't1');
    expect(outline(read(s))).toEqual([['u one', 'a t1', 'u t1=first', 'a t1', `u t1=${NO_RESULT}`]]);
    s.result('t1', 'second');
    expect(outline(read(s))).toEqual([['u one', 'a t1', 'u t1=first', 'a t1', 'u t1=second']]);
  });

  test('errors of the API that were written as replies are left out', () => {
    const s = session('s');
    s.prompt('one');
    s.reply('m1', 'API Error', { isApiErrorMessage: true });
    s.add({ type: 'assistant', message: { id: 'm2', model: '<synthetic>', content: [{ type: 'text', text: 'No response' }] } });
    s.prompt('two');
    expect(outline(read(s))).toEqual([['u one'], ['u two']]);
  });

  test('what stands beside results comes after them, and a result without its call is left out', () => {
    const s = session('s');
    s.prompt('one');
    s.call('m1', 't1');
    const note = { type: 'text', text: 'stop there' };
    s.add({
      type: 'user',
      message: { role: 'user', content: [note, { type: 'tool_result', tool_use_id: 't1', content: 'r1' }] },
    });
    s.result('t9', 'orphan');
    expect(outline(read(s))).toEqual([['u one', 'a t1', 'u t1=r1 stop there']]);
  });
});

describe('turns', () => {
  test('what Claude Code wrote before a prompt comes with it; interruptions and outputs stay with the turn before', () => {
    const s = session('s');
    s.prompt('one');
    s.reply('m1', 'done');
    s.prompt('caveat', { isMeta: true });
    s.prompt('<command-name>/model</command-name>');
    s.prompt('<local-command-stdout>set</local-command-stdout>');
    s.prompt('[Request interrupted by user]');
    expect(outline(read(s))).toEqual([
      ['u one', 'a done'],
      [
        'u caveat',
        'u <command-name>/model</command-name>',
        'u <local-command-stdout>set</local-command-stdout>',
        'u [Request interrupted by user]',
      ],
    ]);
    expect(textOf(promptOf(read(s).turns[1] as never) as never)).toBe('<command-name>/model</command-name>');
  });

  test('a prompt typed while the agent worked is in the turn it was typed in', () => {
    const s = session('s');
    s.prompt('one');
    s.call('m1', 't1');
    s.result('t1', 'r1');
    s.add({ type: 'attachment', attachment: { type: 'queued_command', commandMode: 'prompt', prompt: 'and that' } });
    s.add({ type: 'attachment', attachment: { type: 'task_reminder' } });
    s.reply('m2', 'both');
    expect(outline(read(s))).toEqual([['u one', 'a t1', 'u t1=r1', 'u and that', 'a both']]);
  });

  test('a prompt that says nothing begins no turn: nothing of it would be written', () => {
    const s = session('s');
    s.prompt('one');
    s.call('m1', 't1');
    s.prompt(' ');
    s.reply('m2', 'on');
    expect(read(s).turns).toHaveLength(1);
  });

  test('no prompt, no turns', () => {
    const s = session('s');
    s.prompt('caveat', { isMeta: true });
    s.reply('m1', 'hello');
    expect(read(s).turns).toEqual([]);
    expect(readConversation('s', []).turns).toEqual([]);
  });

  test('replies whose prompt is not in the file are kept before the first prompt', () => {
    const s = session('s');
    s.reply('m1', 'lost beginning', { parentUuid: 'gone' });
    s.prompt('one');
    expect(outline(read(s))).toEqual([
      ['u [the beginning of this conversation is not in its transcript]', 'a lost beginning', 'u one'],
    ]);
  });
});

describe('the live branch', () => {
  test('a rewind leaves only the new branch; all branches have both', () => {
    const s = session('s');
    s.prompt('one');
    const fork = s.reply('m1', 'done');
    s.prompt('abandoned');
    s.reply('m2', 'abandoned reply');
    s.prompt('two', { parentUuid: fork });
    expect(outline(read(s))).toEqual([['u one', 'a done'], ['u two']]);
    expect(allMessages('s', s.records).map(textOf)).toEqual(['one', 'done', 'abandoned', 'abandoned reply', 'two']);
  });

  test('last-prompt names the leaf, and what was written on top of it belongs to it', () => {
    const s = session('s');
    s.prompt('one');
    const fork = s.reply('m1', 'done');
    const two = s.prompt('two');
    s.prompt('abandoned', { parentUuid: fork });
    s.records.push({ type: 'last-prompt', leafUuid: two });
    expect(outline(read(s))).toEqual([['u one', 'a done'], ['u two']]);
    s.reply('m2', 'on top', { parentUuid: two });
    expect(outline(read(s))).toEqual([
      ['u one', 'a done'],
      ['u two', 'a on top'],
    ]);
    s.records.push({ type: 'last-prompt', leafUuid: 'not in the file' });
    expect(outline(read(s))).toEqual([
      ['u one', 'a done'],
      ['u two', 'a on top'],
    ]);
  });

  test('an explicit last-prompt cuts, and cuts everything where it names nothing', () => {
    const s = session('s');
    s.prompt('one');
    const fork = s.reply('m1', 'done');
    s.prompt('two');
    s.records.push({ type: 'last-prompt', leafUuid: fork, explicit: true });
    expect(outline(read(s))).toEqual([['u one', 'a done']]);
    s.records.push({ type: 'last-prompt', leafUuid: null, explicit: true });
    expect(read(s).turns).toEqual([]);
  });

  test('the leaf of parallel calls is followed by what follows a sibling', () => {
    const s = session('s');
    s.prompt('one');
    const a = s.call('m1', 'ta');
    const b = s.call('m1', 'tb');
    const rb = s.result('tb', 'rb', { parentUuid: b });
    s.records.push({ type: 'last-prompt', leafUuid: rb });
    s.result('ta', 'ra', { parentUuid: a });
    s.reply('m2', 'done');
    expect(outline(read(s))).toEqual([['u one', 'a ta tb', 'u ta=ra tb=rb', 'a done']]);
  });

  test('subagents inside the file are no part of it', () => {
    const s = session('s');
    const one = s.prompt('one');
    s.prompt('subagent', { isSidechain: true, parentUuid: null });
    s.reply('m1', 'done', { parentUuid: one });
    expect(outline(read(s))).toEqual([['u one', 'a done']]);
  });

  test('a missing parent and a cycle do not cost what stands before them in the file', () => {
    const s = session('s');
    s.prompt('one');
    s.reply('m1', 'done', { uuid: 'x' });
    s.prompt('two', { parentUuid: 'lost' });
    s.reply('m2', 'y', { uuid: 'y', parentUuid: 'z' });
    s.prompt('three', { uuid: 'z', parentUuid: 'y' });
    expect(outline(read(s))).toEqual([['u one', 'a done'], ['u two', 'a y'], ['u three']]);
  });

  test('a null parent begins anew: the context was cleared', () => {
    const s = session('s');
    s.prompt('one');
    s.prompt('the plan', { parentUuid: null });
    expect(outline(read(s))).toEqual([['u the plan']]);
  });
});

describe('a compaction', () => {
  const compacted = (metadata: object): SessionBuilder => {
    const s = session('s');
    s.prompt('one');
    s.reply('m1', 'old reply');
    s.prompt('two');
    s.reply('m2', 'newest reply');
    s.add({ type: 'system', subtype: 'compact_boundary', parentUuid: null, logicalParentUuid: 's-4', compactMetadata: metadata });
    s.prompt('the summary', { isCompactSummary: true, isVisibleInTranscriptOnly: true });
    return s;
  };

  test('leaves the summary and what followed', () => {
    const s = compacted({ trigger: 'auto' });
    s.prompt('three');
    expect(outline(read(s))).toEqual([['u the summary'], ['u three']]);
    expect(read(s).turns[0]?.messages[0]?.summary).toBe(true);
    expect(allMessages('s', s.records).map(textOf)).toEqual(['one', 'old reply', 'two', 'newest reply', 'the summary', 'three']);
  });

  test.each([
    ['2.1.329', { preservedMessages: { anchorUuid: 's-6', uuids: ['s-3', 's-4'] } }],
    ['before', { preservedSegment: { anchorUuid: 's-6', headUuid: 's-3', tailUuid: 's-4' } }],
  ])('keeps what was preserved (%s), wherever the next record hangs', (_, metadata) => {
    for (const parentUuid of ['s-6', 's-4', 's-2']) {
      const s = compacted(metadata);
      s.prompt('three', { parentUuid });
      expect(outline(read(s))).toEqual([['u the summary'], ['u two', 'a newest reply'], ['u three']]);
    }
  });

  test('with a damaged list of what was preserved keeps the summary', () => {
    const s = compacted({ preservedMessages: { anchorUuid: 's-6', uuids: ['s-3', 'lost'] } });
    s.prompt('three');
    expect(outline(read(s))).toEqual([['u the summary'], ['u three']]);
  });
});
