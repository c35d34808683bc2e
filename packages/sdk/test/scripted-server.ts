import { createServer } from 'node:http';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';

interface SeenRequest {
  method: string;
  url: string;
  headers: IncomingMessage['headers'];
  body: string;
}

type Answer = (res: ServerResponse, seen: SeenRequest) => unknown;

/** A server that returns the given responses in order, and then repeats the last one. */
export async function startScriptedServer() {
  let answers: Answer[] = [];
  const requests: SeenRequest[] = [];
  const server = createServer((req, res) => {
    const { method = '', url = '', headers } = req;
    text(req)
      .then((body) => {
        const seen = { method, url, headers, body };
        requests.push(seen);
        const answer = answers.length > 1 ? answers.shift()! : answers[0]!;
        answer(res, seen);
      })
      .catch(() => undefined);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;

  return {
    url: `http://127.0.0.1:${port}`,
    requests,
    script(...next: Answer[]) {
      answers = next;
      requests.length = 0;
    },
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

export const json =
  (status: number, body: unknown, headers: Record<string, string> = {}): Answer =>
  (res) =>
    res.writeHead(status, { 'content-type': 'application/json', ...headers }).end(JSON.stringify(body));

/** Closes the connection without a response. */
export const cut: Answer = (res) => res.destroy();

/** No response at all. */
export const silence: Answer = () => undefined;

/** A rejection in the platform's format. */
export const refusal = (status: number, code: string, headers: Record<string, string> = {}): Answer =>
  json(status, { status, code, message: 'Not now.', requestId: 'r1' }, headers);
