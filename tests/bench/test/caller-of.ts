import { once } from 'node:events';
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach } from '@jest/globals';
import { createCaller } from '@dtplatform/stack/client';

const stops: (() => unknown)[] = [];
afterEach(() => stops.splice(0).forEach((stop) => stop()));

/** A caller of a platform that responds like `answer`, until the test ends. */
export async function callerOf(answer: RequestListener) {
  const server = createServer(answer).listen(0, '127.0.0.1');
  stops.push(() => server.close());
  await once(server, 'listening');
  return createCaller({ baseUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}` });
}

export const notFound: RequestListener = (_req, res) => res.writeHead(404).end();
