import { createServer, type IncomingMessage, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';

/** Listens on a free port of 127.0.0.1 and prints the URL. */
export function serve(listener: RequestListener, path = ''): void {
  const server = createServer(listener).listen(0, '127.0.0.1', () => {
    console.log(`http://127.0.0.1:${(server.address() as AddressInfo).port}${path}`);
  });
}

/** Serves JSON. A failure closes the connection. */
export function serveJson(answer: (req: IncomingMessage) => Promise<object>): void {
  serve((req, res) => {
    answer(req).then(
      (body) => {
        const bytes = Buffer.from(JSON.stringify(body));
        const headers = { 'content-type': 'application/json; charset=utf-8', 'content-length': bytes.length };
        res.writeHead(req.method === 'POST' ? 201 : 200, headers).end(bytes);
      },
      () => res.destroy(),
    );
  });
}
