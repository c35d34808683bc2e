import type { IncomingMessage, Server } from 'node:http';
import type { Duplex } from 'node:stream';

export const wantsWebsocket = ({ headers }: IncomingMessage): boolean => headers.upgrade?.toLowerCase() === 'websocket';

/**
 * Some clients offer HTTP/2 with `Upgrade: h2c` on ordinary requests, which a server may ignore (RFC 9110, 7.8). Node
 * emits such a request as an upgrade without its body, so it is put back without the header and parsed again.
 */
export function ignoreUpgrade(server: Server, req: IncomingMessage, socket: Duplex, head: Buffer): void {
  const lines = req.rawHeaders.flatMap((name, index, all) =>
    index % 2 === 0 && !/^(connection|upgrade|http2-settings)$/i.test(name) ? [`${name}: ${all[index + 1]}`] : [],
  );
  socket.unshift(head);
  socket.unshift(Buffer.from([`${req.method} ${req.url} HTTP/1.1`, ...lines, '', ''].join('\r\n'), 'latin1'));
  server.emit('connection', socket);
}
