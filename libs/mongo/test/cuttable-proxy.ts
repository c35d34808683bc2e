import { connect, createServer } from 'node:net';
import type { AddressInfo, Socket } from 'node:net';

/** A TCP proxy in front of a real backend that can be cut and mended, so that a test can take the backend away. */
export async function startCuttableProxy(target: { host: string; port: number }) {
  const sockets = new Set<Socket>();
  let isCut = false;
  let connections = 0;
  const keep = (socket: Socket) => {
    sockets.add(socket);
    socket.on('error', () => undefined);
    socket.on('close', () => sockets.delete(socket));
  };
  const server = createServer((client) => {
    connections += 1;
    keep(client);
    if (isCut) return void client.destroy();
    const upstream = connect(target.port, target.host);
    keep(upstream);
    client.pipe(upstream).pipe(client);
    client.on('close', () => upstream.destroy());
    upstream.on('close', () => client.destroy());
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));

  const cut = () => {
    isCut = true;
    for (const socket of sockets) socket.destroy();
  };
  return {
    port: (server.address() as AddressInfo).port,
    cut,
    /** Makes the connections that there are now mute, without closing them; new ones work. */
    freeze: () => {
      for (const socket of sockets) socket.unpipe().pause();
    },
    /** How many clients have connected, or tried to, until now. */
    connectionCount: () => connections,
    mend: () => {
      isCut = false;
    },
    async close() {
      cut();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
