import type { IncomingMessage, Server } from 'node:http';
import type { Duplex } from 'node:stream';
import type { AppError } from '@dtplatform/errors';
import { endWithError } from '@dtplatform/http/bare-server';
import type { Upgrades } from './stream-server.http.js';

/**
 * Passes websocket requests to `upgrades`. Ignores other upgrades, as a server may (RFC 9110, section 7.8): some
 * clients offer HTTP/2 with `Upgrade: h2c` on ordinary requests.
 * @param release called when the socket no longer speaks HTTP
 * @returns a function that closes the websockets
 */
export function acceptUpgrades(
  server: Server,
  upgrades: Upgrades,
  release?: (socket: Duplex) => void,
): () => Promise<void> {
  server.on('upgrade', (req: IncomingMessage, socket: Duplex, head: Buffer) => {
    if (req.headers.upgrade?.toLowerCase() !== 'websocket') return ignoreUpgrade(server, req, socket, head);
    release?.(socket);
    socket.on('error', () => socket.destroy());
    upgrades.accept(req, socket, head);
  });
  return () => upgrades.close();
}

/**
 * Node.js emits an upgrade without the request's body, so the request is put back without the header and parsed again.
 * It is the last one of its connection, because Node.js adds listeners to the socket each time.
 */
function ignoreUpgrade(server: Server, req: IncomingMessage, socket: Duplex, head: Buffer): void {
  const kept = req.rawHeaders.flatMap((name, index, all) =>
    index % 2 === 0 && !/^(connection|upgrade|http2-settings)$/i.test(name) ? [`${name}: ${all[index + 1]}`] : [],
  );
  const lines = [...kept, 'connection: close'];
  socket.unshift(head);
  socket.unshift(Buffer.from([`${req.method} ${req.url} HTTP/1.1`, ...lines, '', ''].join('\r\n'), 'latin1'));
  server.emit('connection', socket);
}

/** Responds with an error in the platform's format, and closes the connection. */
export function rejectUpgrade(socket: Duplex, error: AppError, requestId: string): void {
  // The server no longer watches this connection, and the client may never close it.
  socket.once('finish', () => socket.destroy());
  endWithError(socket, error, requestId);
}
