import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

interface Connection {
  openedAtMs: number;
  /** Responses that are not complete yet. */
  running: Set<ServerResponse>;
  /** Whether it ever had a request. A connection without one that has received bytes is in the middle of its first. */
  hadRequest: boolean;
}

/** The connections of a server, so that they can be closed without losing a request. */
export interface Connections {
  isBusy(socket: Socket): boolean;
  /** The connection no longer carries HTTP: whoever took it over closes it. */
  release(socket: Socket): void;
  /** From now on every response asks to close its connection, unless its headers were sent before. */
  closeAfterAnswers(): void;
  /**
   * Closes idle connections at once, those in the middle of their first request shortly after, and busy ones when they
   * become idle.
   */
  endWhenIdle(): void;
}

/** Time that a request which was arriving when the server stopped has for the rest of its headers. */
const HEADERS_AT_END_MS = 1_000;

/** @param maxAgeMs an older connection closes after its next response, so that callers discover new replicas */
export function trackConnections(server: Server, maxAgeMs: number): Connections {
  const connections = new Map<Socket, Connection>();
  let closing = false;
  let ending = false;

  // Node.js itself closes only connections that have had a request and are idle at the moment of the stop.
  function endIfIdle(socket: Socket): void {
    const connection = connections.get(socket);
    if (!ending || !connection || connection.running.size > 0) return;
    if (connection.hadRequest || socket.bytesRead === 0) socket.destroySoon();
  }

  server.on('connection', (socket: Socket) => {
    connections.set(socket, { openedAtMs: performance.now(), running: new Set(), hadRequest: false });
    socket.once('close', () => connections.delete(socket));
  });
  // Prepended, because the application may respond at once.
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
    release: (socket) => void connections.delete(socket),
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
      // Once the server is closed, Node.js no longer enforces its timeout for headers.
      setTimeout(endSilent, HEADERS_AT_END_MS).unref();
    },
  };
}
