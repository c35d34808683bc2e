import { connect, createServer } from 'node:net';
import type { AddressInfo, Socket } from 'node:net';

/** A TCP proxy that can be cut, to simulate an unavailable backend. */
export async function startCuttableProxy(target: URL) {
  const sockets = new Set<Socket>();
  let isCut = false;
  let fatal: string | undefined;
  const cut = () => {
    isCut = true;
    for (const socket of sockets) socket.destroy();
  };
  const server = createServer((inbound) => {
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
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    cut,
    /** Forwards the next request that contains this text, drops its response and stays cut from then on. */
    cutAfter: (text: string) => void (fatal = text),
    mend() {
      isCut = false;
      fatal = undefined;
    },
    close() {
      cut();
      return new Promise<void>((resolve) => server.close(() => resolve()));
    },
  };
}
