import { createServer } from 'node:net';

/** Below the range of ephemeral ports, which outgoing connections take. */
const FIRST = 20_000;
const LAST = 32_767;
const handedOut = new Set<number>();

/** Whether a server can listen on the port of 127.0.0.1 now. */
export function isPortFree(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const probe = createServer();
    probe.once('error', () => resolve(false));
    probe.listen({ port, host: '127.0.0.1', exclusive: true }, () => probe.close(() => resolve(true)));
  });
}

/** A free port of 127.0.0.1 that this process has not handed out before. */
export async function freePort(): Promise<number> {
  for (;;) {
    const port = FIRST + Math.floor(Math.random() * (LAST - FIRST));
    if (handedOut.has(port)) continue;
    handedOut.add(port);
    if (await isPortFree(port)) return port;
  }
}
