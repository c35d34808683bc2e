import { createServer, request } from 'node:http';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** What happens to a request to the object store. `hold`: its reply waits for the promise. */
export type Fault =
  { kind: 'status'; status: number } | { kind: 'cut'; afterBytes: number } | { kind: 'hold'; until: Promise<void> };

/** An HTTP proxy in front of the object store that fails the requests that a test chooses. */
export async function startFaultyProxy(target: URL) {
  let faultOf: (req: IncomingMessage) => Fault | undefined = () => undefined;

  function forward(req: IncomingMessage, res: ServerResponse, ready: Promise<void> | undefined): void {
    const { method, headers, url: path } = req;
    const upstream = request({ host: target.hostname, port: target.port, method, path, headers }, (response) => {
      void Promise.resolve(ready).then(() => {
        res.writeHead(response.statusCode!, response.headers);
        response.pipe(res);
      });
    });
    upstream.on('error', () => res.destroy());
    req.on('error', () => upstream.destroy());
    req.pipe(upstream);
  }

  const server = createServer((req, res) => {
    const fault = faultOf(req);
    if (fault?.kind === 'status') {
      req.resume().on('end', () => res.writeHead(fault.status).end());
    } else if (fault?.kind === 'cut') {
      let received = 0;
      req.on('error', () => undefined);
      req.on('data', (bytes: Buffer) => {
        received += bytes.length;
        if (received >= fault.afterBytes) req.socket.destroy();
      });
    } else forward(req, res, fault?.until);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));

  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    /** Decides about all later requests. */
    failWhen: (decide: typeof faultOf) => void (faultOf = decide),
    mend: () => void (faultOf = () => undefined),
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
