import { connect, createServer } from 'node:net';
import type { AddressInfo, Socket } from 'node:net';

export type CuttableProxy = Awaited<ReturnType<typeof startCuttableProxy>>;

/**
 * A TCP proxy in front of a real backend that tests cut and mend, to make the backend unavailable. A change of `target`
 * applies to later connections.
 */
export async function startCuttableProxy(target: { hostname: string; port: string | number }) {
  const sockets = new Set<Socket>();
  let isCut = false;
  let fatal: string | undefined;
  let connections = 0;
  const cut = () => {
    isCut = true;
    for (const socket of sockets) socket.destroy();
  };
  const server = createServer((inbound) => {
    connections += 1;
    if (isCut) return void inbound.destroy();
    const outbound = connect(Number(target.port), target.hostname);
    for (const socket of [inbound, outbound]) {
      sockets.add(socket);
      socket.on('error', () => undefined);
      socket.on('close', () => {
        sockets.delete(socket);
        inbound.destroy();
        outbound.destroy();
      });
    }
    inbound.on('data', (bytes: Buffer) => {
      if (!fatal || !bytes.includes(fatal)) return;
      outbound.unpipe(inbound).once('data', cut).resume();
    });
    inbound.pipe(outbound).pipe(inbound);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;

  return {
    port,
    /** For HTTP backends. */
    url: `http://127.0.0.1:${port}`,
    cut,
    /** Forwards the next request that contains this text, drops its response and stays cut. */
    cutAfter: (text: string) => void (fatal = text),
    /** Current connections hang without closing; new ones work. */
    freeze() {
      for (const socket of sockets) socket.unpipe().pause();
    },
    /** Number of connections so far, including rejected ones. */
    connectionCount: () => connections,
    mend() {
      isCut = false;
      fatal = undefined;
    },
    async close() {
      cut();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
