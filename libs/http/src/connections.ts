import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

interface Connection {
  /** Requests that have no whole answer yet. */
  running: number;
  /** Whether it ever had a request; one that had none and sent something speaks another protocol now. */
  hadRequest: boolean;
}

/** The connections of a server, so that it can stop without waiting for callers that keep theirs open. */
export interface Connections {
  isBusy(socket: Socket): boolean;
  /** Ends those without a request at once, and each of the others with its last answer. */
  endWhenIdle(): void;
}

/** Node.js itself ends only those that are idle at the moment of the stop, and had a request before. */
export function trackConnections(server: Server): Connections {
  const connections = new Map<Socket, Connection>();
  let ending = false;

  function endIfIdle(socket: Socket): void {
    const connection = connections.get(socket);
    if (!ending || !connection || connection.running > 0) return;
    if (connection.hadRequest || socket.bytesRead === 0) socket.destroySoon();
  }

  server.on('connection', (socket: Socket) => {
    connections.set(socket, { running: 0, hadRequest: false });
    socket.once('close', () => connections.delete(socket));
  });
  server.on('request', ({ socket }: IncomingMessage, res: ServerResponse) => {
    const connection = connections.get(socket);
    if (!connection) return;
    connection.running += 1;
    connection.hadRequest = true;
    res.once('close', () => {
      connection.running -= 1;
      endIfIdle(socket);
    });
  });

  return {
    isBusy: (socket) => (connections.get(socket)?.running ?? 0) > 0,
    endWhenIdle() {
      ending = true;
      for (const socket of connections.keys()) endIfIdle(socket);
    },
  };
}
