import { createServer, request } from 'node:http';
import type { IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';

/** What happens to a request to the object store: it fails with a status, or its response waits for a promise. */
type Fault = number | Promise<void>;

/** An HTTP proxy in front of the object store that fails the requests that a test chooses. */
export async function startFaultyProxy(target: URL) {
  let faultOf: (req: IncomingMessage) => Fault | undefined = () => undefined;

  const server = createServer((req, res) => {
    const fault = faultOf(req);
    if (typeof fault === 'number') return void req.resume().on('end', () => res.writeHead(fault).end());
    const { method, headers, url: path } = req;
    const upstream = request({ host: target.hostname, port: target.port, method, path, headers }, (response) => {
      void Promise.resolve(fault).then(() => {
        res.writeHead(response.statusCode!, response.headers);
        response.pipe(res);
      });
    });
    upstream.on('error', () => res.destroy());
    req.on('error', () => upstream.destroy());
    req.pipe(upstream);
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
