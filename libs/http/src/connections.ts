import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

interface Connection {
  openedAtMs: number;
  /** Answers that are not complete yet. */
  running: Set<ServerResponse>;
  /** Whether it ever had a request; on one that had none and sent something, the first is on its way. */
  hadRequest: boolean;
}

/** The connections of a server, so that callers can be sent elsewhere without losing a request. */
export interface Connections {
  isBusy(socket: Socket): boolean;
  /** From now on each answer that can still say so is the last one of its connection. */
  closeAfterAnswers(): void;
  /** Ends those without a request at once, or shortly after when one is on its way, and each of the others with its last answer. */
  endWhenIdle(): void;
}

/** A request that began to come before the end of the server has this time for the rest of its headers. */
const HEADERS_AT_END_MS = 1_000;

/** @param maxAgeMs an older connection ends with its next answer, so that callers come to know replicas that are new */
export function trackConnections(server: Server, maxAgeMs: number): Connections {
  const connections = new Map<Socket, Connection>();
  let closing = false;
  let ending = false;

  // Node.js itself ends only those that are idle at the moment of the stop, and had a request before.
  function endIfIdle(socket: Socket): void {
    const connection = connections.get(socket);
    if (!ending || !connection || connection.running.size > 0) return;
    if (connection.hadRequest || socket.bytesRead === 0) socket.destroySoon();
  }

  server.on('connection', (socket: Socket) => {
    connections.set(socket, { openedAtMs: performance.now(), running: new Set(), hadRequest: false });
    socket.once('close', () => connections.delete(socket));
  });
  // Before the application, which may answer at once.
  server.prependListener('request', ({ socket }: IncomingMessage, res: ServerResponse) => {
    const connection = connections.get(socket);
    if (!connection) return;
    connection.running.add(res);
    connection.hadRequest = true;
    if (closing || performance.now() - connection.openedAtMs > maxAgeMs) res.setHeader('connection', 'close');
    res.once('close', () => {
      connection.running.delete(res);
      endIfIdle(socket);
    });
  });

  return {
    isBusy: (socket) => (connections.get(socket)?.running.size ?? 0) > 0,
    closeAfterAnswers() {
      closing = true;
      for (const { running } of connections.values()) {
        for (const res of running) if (!res.headersSent) res.setHeader('connection', 'close');
      }
    },
    endWhenIdle() {
      ending = true;
      for (const socket of connections.keys()) endIfIdle(socket);
      const endSilent = () => {
        for (const [socket, { hadRequest }] of connections) if (!hadRequest) socket.destroy();
      };
      // Node.js no longer watches the time that headers take.
      setTimeout(endSilent, HEADERS_AT_END_MS).unref();
    },
  };
}
