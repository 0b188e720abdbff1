import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { ApiMessage } from '../helpers/messages-api.ts';
import { checkRequest, LOST_RESULT } from '../helpers/messages-api.ts';
import type { MockApi } from '../helpers/mock-api.ts';
import { startMockApi } from '../helpers/mock-api.ts';
import { bash } from '../helpers/mock-reply.ts';

const user = (...content: ApiMessage['content'][number][]): ApiMessage => ({ role: 'user', content: content as never });
const said = (text: string): ApiMessage => ({ role: 'assistant', content: [{ type: 'text', text }] });
const calls = (...ids: string[]): ApiMessage => ({
  role: 'assistant',
  content: ids.map((id) => ({ type: 'tool_use', id, name: 'Bash', input: {} })),
});
const result = (tool_use_id: string, content = 'fine') => ({ type: 'tool_result', tool_use_id, content });
const text = (text: string) => ({ type: 'text', text });
const ask = user(text('hello'));

describe('the rules of the Messages API', () => {
  test.each<[string, ApiMessage[]]>([
    ['a question', [{ role: 'user', content: 'hello' }]],
    ['a call and its result', [ask, calls('a'), user(result('a'))]],
    ['parallel calls, answered in another order', [ask, calls('a', 'b'), user(result('b'), result('a'), text('and?'))]],
    ['results in consecutive user messages', [ask, calls('a', 'b'), user(result('a')), user(result('b'))]],
    ['a reply in consecutive assistant messages', [ask, said('now'), calls('a'), user(result('a'))]],
    ['a system message without content', [ask, { role: 'system', content: [] }, said('yes'), ask]],
  ])('allow %s', (_, messages) => {
    expect(checkRequest({ messages })).toEqual([]);
  });

  test.each<[string, ApiMessage[], string]>([
    ['no messages', [], 'start with nothing'],
    ['an assistant first', [said('hello'), ask], 'start with assistant'],
    ['a message without content', [ask, said('yes'), user()], 'has no content'],
    ['an empty text', [user(text(' \n'))], 'has an empty text'],
    ['a call without a result', [ask, calls('a'), user(text('next'))], 'does not begin with the result of a'],
    ['a call at the end', [ask, calls('a')], 'the tool call a has no result'],
    ['one of two results', [ask, calls('a', 'b'), user(result('a'))], 'the result of b'],
    ['a result without a call', [ask, said('yes'), user(result('a'))], 'without its call'],
    ['a result too late', [ask, calls('a'), user(result('a')), said('yes'), user(result('a'))], 'without its call'],
    ['a result after a text', [ask, calls('a'), user(text('first'), result('a'))], 'after other content'],
    ['an id used twice', [ask, calls('a'), user(result('a')), calls('a'), user(result('a'))], 'repeats the tool call a'],
    ['two results of one call', [ask, calls('a'), user(result('a'), result('a'))], 'without its call'],
    ['a call by the user', [{ ...calls('a'), role: 'user' }, user(result('a'))], 'has a tool call'],
    ['a lost result', [ask, calls('a'), user(result('a', LOST_RESULT))], 'a tool result was lost'],
  ])('forbid %s', (_, messages, violation) => {
    expect(checkRequest({ messages }).join('\n')).toContain(violation);
  });
});

describe('the mock', () => {
  let api: MockApi;
  beforeEach(async () => {
    api = await startMockApi();
  });
  afterEach(() => api.close());

  const post = async (messages: ApiMessage[], more: object = {}): Promise<{ status: number; body: string }> => {
    const body = JSON.stringify({ model: 'claude-test', messages, tools: [{ name: 'Task' }], ...more });
    const response = await fetch(`${api.url}/v1/messages?beta=true`, { method: 'POST', body });
    return { status: response.status, body: await response.text() };
  };

  test('answers the steps of a script by how far the turn is, and refuses more', async () => {
    api.when('hello', bash('true'), () => 'done');
    const first = JSON.parse((await post([ask])).body);
    expect(first).toMatchObject({ stop_reason: 'tool_use', content: [{ name: 'Bash', input: { command: 'true' } }] });
    const turn = [ask, { role: 'assistant' as const, content: first.content }, user(result(first.content[0].id))];
    expect(JSON.parse((await post(turn)).body)).toMatchObject({ stop_reason: 'end_turn', content: [text('done')] });
    expect(await post([...turn, said('done'), user(text('<system-reminder>on</system-reminder>'))])).toMatchObject({
      status: 400,
    });
    expect(api.requests.map((request) => request.violations)).toEqual([[], [], []]);
  });

  test('streams', async () => {
    const { body } = await post([ask], { stream: true });
    const events = [...body.matchAll(/^event: (.*)$/gm)].map((match) => match[1]);
    const block = ['content_block_start', 'content_block_delta', 'content_block_stop'];
    expect(events).toEqual(['message_start', ...block, 'message_delta', 'message_stop']);
    expect(body).toContain('You said: hello');
  });

  test('tells the conversation from other requests', async () => {
    await post([ask]);
    await post([ask], { tools: [] });
    await post([ask], { tools: [{ name: 'Bash' }] });
    await post([ask], { system: 'cc_is_subagent=true;' });
    await post([user(text('Your task is to create a detailed summary of the conversation'))]);
    expect(api.requests.map((request) => request.kind)).toEqual(['conversation', 'side', 'subagent', 'subagent', 'compaction']);
    expect(api.conversationRequests()).toEqual([api.requests[0]]);
  });

  test('knows the session, in the notation of either version', async () => {
    const id = '11111111-2222-4333-8444-555555555555';
    await post([ask], { metadata: { user_id: `user_0_account__session_${id}` } });
    await post([ask], { metadata: { user_id: JSON.stringify({ account_uuid: '', session_id: id }) } });
    expect(api.conversationRequests(id)).toHaveLength(2);
  });

  test('answers 404 to what it does not know, and notes it', async () => {
    expect((await fetch(`${api.url}/v1/messages/count_tokens`, { method: 'POST', body: '{}' })).status).toBe(404);
    expect(api.unknown).toEqual(['POST /v1/messages/count_tokens']);
  });
});
