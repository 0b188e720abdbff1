import type { IncomingMessage } from 'node:http';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { json } from 'node:stream/consumers';
import type { ApiRequest } from './api-request.ts';
import { repliesToPrompt, toApiRequest } from './api-request.ts';
import type { MessagesBody } from './messages-api.ts';
import type { ReplyLike } from './mock-reply.ts';
import { sendReply, toReply } from './mock-reply.ts';

/** One step of a script: a reply, or a function that makes it, which may take its time (a commit in the middle of a turn). */
export type Step = ReplyLike | ((request: ApiRequest) => ReplyLike | Promise<ReplyLike>);

/** A mock of the Messages API on a port of the loopback interface. */
export interface MockApi {
  /** For `ANTHROPIC_BASE_URL`. */
  url: string;
  /** Every request so far, oldest first. */
  requests: ApiRequest[];
  /** Other paths that a client asked for, as `GET /path`; each was answered with 404. */
  unknown: string[];
  /**
   * Scripts the turn that a prompt starts: the first step answers the prompt, the next one the results of its tool calls, and
   * so on. Prompts without a script are answered with `You said: <prompt>`; a turn that outlives its script is answered with
   * an error 400. A later script for the same prompt replaces the earlier one.
   */
  when(prompt: string, ...steps: Step[]): void;
  /** The requests of the conversation proper, of one session or of all. */
  conversationRequests(session?: string): ApiRequest[];
  /** The newest of them; throws when there is none. */
  lastRequest(session?: string): ApiRequest;
  close(): Promise<void>;
}

/** The answer to `/compact`: what the clients keep in place of the conversation. */
export const SUMMARY = 'The summary of everything before.';

export async function startMockApi(): Promise<MockApi> {
  const scripts = new Map<string, Step[]>();
  const requests: ApiRequest[] = [];
  const unknown: string[] = [];

  const answer = async (request: ApiRequest): Promise<ReplyLike> => {
    if (request.kind === 'side') return 'OK';
    if (request.kind === 'compaction') return `<summary>${SUMMARY}</summary>`;
    const script = scripts.get(request.prompt);
    if (script === undefined) return `You said: ${request.prompt}`;
    const step = script[repliesToPrompt(request)];
    if (step === undefined) throw new Error(`the script of ${JSON.stringify(request.prompt)} has no further step`);
    return typeof step === 'function' ? step(request) : step;
  };

  const server = createServer((incoming, response) => {
    const fail = (status: number, type: string, message: string): void => {
      response.writeHead(status, { 'content-type': 'application/json' });
      response.end(JSON.stringify({ type: 'error', error: { type, message } }));
    };
    if (!isMessages(incoming)) {
      unknown.push(`${incoming.method} ${incoming.url}`);
      return fail(404, 'not_found_error', 'not part of this mock');
    }
    void (async () => {
      const request = toApiRequest((await json(incoming)) as MessagesBody);
      requests.push(request);
      sendReply(response, request.body, toReply(await answer(request)));
    })().catch((error: unknown) => fail(400, 'invalid_request_error', String(error)));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));

  const conversationRequests = (session?: string): ApiRequest[] =>
    requests.filter((request) => request.kind === 'conversation' && (session === undefined || request.session_id === session));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    requests,
    unknown,
    conversationRequests,
    when(prompt, ...steps) {
      scripts.set(prompt, steps);
    },
    lastRequest(session) {
      const last = conversationRequests(session).at(-1);
      if (last === undefined) throw new Error(`no request of ${session === undefined ? 'any session' : `session ${session}`}`);
      return last;
    },
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

function isMessages({ method, url }: IncomingMessage): boolean {
  return method === 'POST' && new URL(url ?? '/', 'http://mock').pathname === '/v1/messages';
}
