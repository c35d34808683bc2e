import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { describe, expect, it } from '@jest/globals';
import WebSocket, { WebSocketServer } from 'ws';
import { behindGateway, gatewayOf, route } from './fixtures/gateway.js';

/** Echoes every message and chooses the first subprotocol. */
async function echoing() {
  const behind = await behindGateway((_req, res) => res.writeHead(401).end('no token'));
  const sockets = new WebSocketServer({ noServer: true });
  behind.upstream.server.on('upgrade', (req, socket, head) => {
    if (req.headers.authorization === 'Bearer bad')
      return void socket.end('HTTP/1.1 403 Forbidden\r\nContent-Length: 0\r\n\r\n');
    sockets.handleUpgrade(req, socket, head, (client) =>
      client.on('message', (data: Buffer, isBinary) => client.send(data, { binary: isBinary })),
    );
  });
  return { ...behind, sockets };
}

const rejection = async (socket: WebSocket): Promise<number> => {
  const [, response] = (await once(socket, 'unexpected-response')) as [unknown, { statusCode: number }];
  return response.statusCode;
};

describe('the gateway, websockets', () => {
  it('connects caller and service, with subprotocol and large binary frames', async () => {
    const { port } = await echoing();
    const socket = new WebSocket(`ws://127.0.0.1:${port}/svc/stream`, ['dtplatform.v1', 'bearer.x']);
    await once(socket, 'open');
    expect(socket.protocol).toBe('dtplatform.v1');
    const sent = randomBytes(3 * 1024 * 1024);
    socket.send(sent);
    const [received] = (await once(socket, 'message')) as [Buffer];
    expect(received.equals(sent)).toBe(true);
    socket.close();
    await once(socket, 'close');
  });

  it('closes the caller’s connection when the service closes its own, and vice versa', async () => {
    const { port, sockets } = await echoing();
    const first = new WebSocket(`ws://127.0.0.1:${port}/svc`);
    await once(first, 'open');
    const firstClosed = once(first, 'close');
    for (const client of sockets.clients) client.terminate();
    await firstClosed;

    const second = new WebSocket(`ws://127.0.0.1:${port}/svc`);
    await once(second, 'open');
    const closed = Promise.all([...sockets.clients].map((client) => once(client, 'close')));
    second.terminate();
    await closed;
  });

  it('passes on a rejection by the service', async () => {
    const { port } = await echoing();
    const headers = { authorization: 'Bearer bad' };
    expect(await rejection(new WebSocket(`ws://127.0.0.1:${port}/svc`, { headers }))).toBe(403);
  });

  it('rejects a websocket when no service serves the path or the service is not running', async () => {
    const { port } = await gatewayOf(route('/down'));
    expect(await rejection(new WebSocket(`ws://127.0.0.1:${port}/nothing`))).toBe(404);
    expect(await rejection(new WebSocket(`ws://127.0.0.1:${port}/down`))).toBe(503);
  });

  it('closes open websockets when it stops', async () => {
    const { port, close, sockets } = await echoing();
    const socket = new WebSocket(`ws://127.0.0.1:${port}/svc`);
    await once(socket, 'open');
    const closed = Promise.all([socket, ...sockets.clients].map((end) => once(end, 'close')));
    await close();
    await closed;
  });
});
