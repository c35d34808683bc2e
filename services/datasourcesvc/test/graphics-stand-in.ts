import { createServer } from 'node:http';
import type { IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';

interface Call {
  method: string;
  url: string;
  authorization: string | undefined;
  body: unknown;
}

/** A stand-in for graphicssvc and the token endpoint, with replies set by the test. */
export async function startGraphicsStandIn() {
  const calls: Call[] = [];
  let putStatus = 200;
  let loadStatuses: string[] = [];

  const server = createServer((req, res) => {
    const answer = (status: number, body?: object) => {
      res.writeHead(status, { 'content-type': 'application/json' }).end(body && JSON.stringify(body));
    };
    void readJson(req).then((body) => {
      if (req.url === '/token') return answer(200, { access_token: 'the-token-of-the-service', expires_in: 3600 });
      calls.push({ method: req.method!, url: req.url!, authorization: req.headers.authorization, body });
      if (req.method === 'PUT') return answer(putStatus);
      const _fileId = new URL(req.url!, 'http://graphics').pathname.split('/').at(-1);
      return answer(200, { _fileId, _status: loadStatuses.length > 1 ? loadStatuses.shift() : loadStatuses[0] });
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;

  return {
    calls,
    environment: { GRAPHICSSVC_URL: url, TOKEN_URL: `${url}/token` },
    /** Sets the status of the reply to PUT and the successive statuses of a load. */
    will(answers: { put: number; statuses: string[] }) {
      putStatus = answers.put;
      loadStatuses = answers.statuses;
      calls.length = 0;
    },
    async stop() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

async function readJson(req: IncomingMessage): Promise<unknown> {
  let text = '';
  for await (const chunk of req) text += String(chunk);
  return text.startsWith('[') || text.startsWith('{') ? JSON.parse(text) : text;
}
