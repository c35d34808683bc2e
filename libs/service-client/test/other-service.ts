import { createServer } from 'node:http';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { mock } from 'node:test';
import type { TokenSource } from '../src/index.js';

interface Received {
  method: string;
  url: string;
  headers: IncomingMessage['headers'];
  body: string;
}

/** A source that always returns the same token. */
export const always = (token: string): TokenSource => ({ get: async () => token, discard: () => undefined });

/** Advances the clock without timers. */
export function later(ms: number): void {
  const now = Date.now() + ms;
  mock.timers.reset();
  mock.timers.enable({ apis: ['Date'], now });
}

/** Another service over real HTTP, which responds as a test specifies and records its requests. */
export async function startOtherService() {
  const received: Received[] = [];
  let answer: (req: IncomingMessage, res: ServerResponse) => unknown = (_req, res) => res.end('{}');
  const server = createServer((req, res) => {
    void text(req).then((body) => {
      received.push({ method: req.method ?? '', url: req.url ?? '', headers: req.headers, body });
      answer(req, res);
    });
  });
  const listen = (port: number) => new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve));
  await listen(0);
  const { port } = server.address() as AddressInfo;
  return {
    baseUrl: `http://127.0.0.1:${port}`,
    /** Listens again on the same port after it was closed. */
    open: () => listen(port),
    received,
    answer: (next: typeof answer) => (answer = next),
    answerWith: (status: number, body: unknown, headers: Record<string, string> = {}) =>
      (answer = (_req, res) =>
        res.writeHead(status, headers).end(typeof body === 'string' ? body : JSON.stringify(body))),
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
