import { createServer } from 'node:net';

/** Below the range from which systems take the local ports of outgoing connections, so that those do not collide. */
const FIRST = 20_000;
const LAST = 32_767;
const handedOut = new Set<number>();

/** True when a server can listen on the port of 127.0.0.1 now. */
export function isPortFree(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const probe = createServer();
    probe.once('error', () => resolve(false));
    probe.listen({ port, host: '127.0.0.1', exclusive: true }, () => probe.close(() => resolve(true)));
  });
}

/** A port of 127.0.0.1 that is free now and was not handed out before by this process. */
export async function freePort(): Promise<number> {
  for (;;) {
    const port = FIRST + Math.floor(Math.random() * (LAST - FIRST));
    if (handedOut.has(port)) continue;
    handedOut.add(port);
    if (await isPortFree(port)) return port;
  }
}
