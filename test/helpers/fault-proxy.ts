import { createServer, type IncomingMessage, request, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';

/** What happens to a request on its way. */
export type Fault =
  /** The server never sees it: this is answered. */
  | { answer: number; code?: string; body?: string; headers?: Record<string, string> }
  /** The connection is reset before the server sees it. */
  | 'reset'
  /** The server does it, and the connection is reset before its answer. */
  | 'answer lost'
  /** The server does it, and half of its answer's body comes before the connection is reset. */
  | 'reset in the body'
  /** The server never sees it and nobody answers. */
  | 'silence'
  /** Half of the answer's body comes, and then nothing more. */
  | 'silence in the body'
  | Altered;

interface Altered {
  /** The body that the server gets, under the length that was announced: a shorter one ends with the connection. */
  sends?: (body: Buffer) => Buffer;
  /** The body that the client gets, its length said anew. */
  gives?: (body: Buffer) => Buffer;
  /** The length that is said instead. */
  length?: (announced: number) => number;
  /** Milliseconds between the tenths of the body that the client gets. */
  pause?: number;
}

export interface FaultProxy extends AsyncDisposable {
  endpoint: string;
  /** `METHOD /path?query` of all that came, in order. */
  requests: string[];
  /** The most requests that were under way at the same time. */
  atOnce: number;
  /** Called for each request; null lets it pass. */
  fault: (request: string) => Fault | null;
}

/** An HTTP proxy before a server, on a port of loopback. It changes no header, so that signatures stay right. */
export async function faultProxy(target: string): Promise<FaultProxy> {
  const { hostname, port } = new URL(target);
  const pass = (from: IncomingMessage, body: Buffer) =>
    new Promise<{ status: number; headers: IncomingMessage['headers']; body: Buffer }>((resolve, reject) => {
      const to = request(
        { hostname, port, method: from.method, path: from.url, headers: from.headers, agent: false },
        (answer) => {
          buffer(answer).then((all) => resolve({ status: answer.statusCode!, headers: answer.headers, body: all }), reject);
        },
      );
      to.on('error', reject);
      if (body.length < Number(from.headers['content-length'] ?? 0)) to.write(body, () => to.destroy(new Error('cut off')));
      else to.end(body);
    });

  let underWay = 0;
  const serve = async (from: IncomingMessage, to: ServerResponse) => {
    const name = `${from.method} ${from.url}`;
    proxy.requests.push(name);
    proxy.atOnce = Math.max(proxy.atOnce, (underWay += 1));
    to.on('close', () => (underWay -= 1));
    const fault = proxy.fault(name);
    const sent = await buffer(from);
    if (fault === 'silence') return;
    if (fault === 'reset') return void from.socket.resetAndDestroy();
    if (fault !== null && typeof fault === 'object' && 'answer' in fault) {
      const {
        answer,
        code = 'Error',
        body = `<Error><Code>${code}</Code><Message>said by a test</Message></Error>`,
        headers,
      } = fault;
      return void to.writeHead(answer, { 'content-type': 'application/xml', ...headers }).end(body);
    }
    const alter: Altered = fault !== null && typeof fault === 'object' ? (fault as Altered) : {};
    const { status, headers, body } = await pass(from, alter.sends?.(sent) ?? sent);
    if (fault === 'answer lost') return void from.socket.resetAndDestroy();
    const given = alter.gives?.(body) ?? body;
    const announced = Number(headers['content-length'] ?? body.length);
    const length = alter.length?.(announced) ?? given.length;
    if (alter.gives !== undefined) {
      headers['content-length'] = String(length);
      delete headers['transfer-encoding'];
    }
    to.writeHead(status, headers);
    if (fault === 'reset in the body' || fault === 'silence in the body') {
      to.write(given.subarray(0, given.length >> 1), () => fault === 'reset in the body' && from.socket.resetAndDestroy());
      return;
    }
    if (alter.pause !== undefined) {
      for (let at = 0; at < 10; at += 1) {
        to.write(given.subarray((at * length) / 10, ((at + 1) * length) / 10));
        await sleep(alter.pause);
      }
      to.end();
    } else if (length === given.length) to.end(given);
    else to.write(given, () => from.socket.end()); // not as long as was said
  };

  const server = createServer((from, to) => {
    serve(from, to).catch(() => from.socket.destroy());
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const proxy: FaultProxy = {
    endpoint: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    requests: [],
    atOnce: 0,
    fault: () => null,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
  return proxy;
}
