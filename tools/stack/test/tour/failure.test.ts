import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, expect, it } from '@jest/globals';
import type { DevJson } from '../../src/index.js';
import { runTour } from '../../src/tour/index.js';

const stops: (() => void)[] = [];
afterEach(() => stops.splice(0).forEach((stop) => stop()));

/** A tour of a platform that responds like this. */
async function tourOf(listener: RequestListener, signal?: AbortSignal) {
  const server = createServer(listener).listen(0, '127.0.0.1');
  stops.push(() => server.close());
  await new Promise((resolve) => server.once('listening', resolve));
  const baseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const lines: string[] = [];
  const app = { appId: 'app', appSecret: 'secret', redirectUri: 'http://localhost:3000/callback' };
  const failed = runTour({ dev: { baseUrl, ...app } as DevJson, write: (line) => lines.push(line), signal }).then(
    () => new Error('the tour passed'),
    (error: unknown) => error as Error,
  );
  return { error: await failed, lines };
}

it('stops at the first step that fails, and names the step, the request and the response', async () => {
  const { error, lines } = await tourOf((_req, res) => {
    res.writeHead(500, { 'content-type': 'application/json' }).end('{"status":500,"code":"INTERNAL"}');
  });
  expect(error.message).toBe(
    '"The application gets a token of its own (client credentials)": ' +
      'POST /passportsvc/api/v1/oauth/token answered 500, not 200: {"status":500,"code":"INTERNAL"}',
  );
  expect(lines).toHaveLength(1);
  expect(lines[0]).toMatch(/✗.* The application gets a token .* \d+ ms/);
});

it('stops with the reason of the signal', async () => {
  const interrupt = new AbortController();
  const reason = new Error('Ctrl-C');
  const { error } = await tourOf(() => interrupt.abort(reason), interrupt.signal);
  expect(error).toBe(reason);
});
