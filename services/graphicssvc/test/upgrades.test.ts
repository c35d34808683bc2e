import { once } from 'node:events';
import type { Server } from 'node:http';
import { connect } from 'node:net';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { commonErrors } from '@dtplatform/errors';
import { createHttpApp, listen, ok, portOf, route, routes } from '@dtplatform/http';
import type { Authenticate } from '@dtplatform/http';
import { createLifecycle } from '@dtplatform/lifecycle';
import { silentLogger } from '@dtplatform/logging';
import { eventually } from '@dtplatform/testing';
import { acceptUpgrades, rejectUpgrade } from '../src/stream/upgrades.http.js';

const table = routes('/work', [
  route.get('/', {
    operation: 'work.get',
    summary: 'At once.',
    auth: 'none',
    responses: { 200: null },
    handler: async () => ok({ done: true }),
  }),
]);

const log = silentLogger();
const lifecycle = createLifecycle({ log, graceMs: 3000 });
const authenticate: Authenticate = () => Promise.reject(commonErrors.unauthorized());

let server: Server;
beforeAll(async () => {
  const upgrades = {
    accept: (_req: unknown, socket: Parameters<typeof rejectUpgrade>[0]) =>
      rejectUpgrade(socket, commonErrors.unauthorized(), 'request-1'),
    close: async () => undefined,
  };
  server = await listen(createHttpApp({ authenticate, log, mounts: [{ prefix: '/api', tables: [table] }] }), {
    ...{ name: 'api', host: '127.0.0.1', port: 0, lifecycle },
    attach: (listening, release) => acceptUpgrades(listening, upgrades, release),
  });
});
afterAll(() => lifecycle.stop('the test is over'));

/** Sends a request, and reads until the server closes its side. The client never closes its own. */
async function send(...lines: string[]) {
  const socket = connect({ port: portOf(server), host: '127.0.0.1', allowHalfOpen: true });
  let response = '';
  socket.setEncoding('latin1').on('data', (chunk: string) => (response += chunk));
  socket.write(['GET /api/work HTTP/1.1', 'host: x', ...lines, '', ''].join('\r\n'));
  await once(socket, 'end');
  return { reply: response, close: () => socket.destroy() };
}

const connections = () => promisify(server.getConnections.bind(server))();

it('closes the connection of a websocket that is refused, also if its client does not', async () => {
  const { reply, close } = await send('connection: upgrade', 'upgrade: websocket');
  expect(reply).toMatch(/^HTTP\/1.1 401 /);
  await eventually(async () => expect(await connections()).toBe(0));
  close();
});

it('answers a request that offers another protocol as an ordinary one, the last of its connection', async () => {
  const { reply, close } = await send('connection: upgrade, http2-settings', 'upgrade: h2c', 'http2-settings: AAA');
  expect(reply).toMatch(/^HTTP\/1.1 200 [^]*^connection: close\r$/im);
  await eventually(async () => expect(await connections()).toBe(0));
  close();
});
