import { createServer } from 'node:http';
import { connect } from 'node:net';
import type { AddressInfo, Socket } from 'node:net';

/** A forward proxy (`CONNECT`) that sends every connection to one server, whatever host is asked for. */
export async function startConnectProxy(target: { host: string; port: number }) {
  const hosts: string[] = [];
  const sockets = new Set<Socket>();
  const server = createServer().on('connect', (req, client: Socket) => {
    hosts.push(req.url!);
    const upstream = connect(target, () => client.write('HTTP/1.1 200 Connection established\r\n\r\n'));
    for (const socket of [client, upstream]) {
      sockets.add(socket);
      socket.on('error', () => undefined);
    }
    client.pipe(upstream).pipe(client);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    /** `host:port` of all connections so far. */
    hosts,
    async close() {
      for (const socket of sockets) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
