import type { IncomingMessage } from 'node:http';

/** How long the rest of a refused body is read, so that the answer reaches a client that is still sending. */
const LINGER_MS = 10_000;

export type RequestBodies = ReturnType<typeof createRequestBodies>;

/** The request bodies that stream through this process. */
export function createRequestBodies() {
  const streaming = new Map<IncomingMessage, Promise<unknown>>();

  return {
    /** Works on a body. Whatever of it is left then is read and dropped, for a while. */
    async during<T>(req: IncomingMessage, work: () => Promise<T>): Promise<T> {
      const working = work();
      streaming.set(req, working);
      try {
        return await working;
      } finally {
        streaming.delete(req);
        if (!req.complete) linger(req);
      }
    },

    /** Cuts off, as a lost connection would, what still streams then. */
    cutIn(timeMs: number): void {
      setTimeout(() => {
        for (const req of streaming.keys()) req.destroy();
      }, timeMs).unref();
    },

    /** Resolves when what came of all bodies is kept, those included whose connection is gone. */
    settled: () => Promise.allSettled(streaming.values()),
  };
}

function linger(req: IncomingMessage): void {
  req.resume();
  const timer = setTimeout(() => req.destroy(), LINGER_MS).unref();
  req.once('close', () => clearTimeout(timer));
}
