import { once } from 'node:events';
import { createServer, get, type IncomingMessage, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { nameAddress } from '../src/visit/name-address.js';

describe('a host that only this process resolves', () => {
  let server: Server;
  let url: string;
  beforeEach(async () => {
    server = createServer((req, res) => res.setHeader('connection', 'close').end(req.headers.host)).listen(0);
    await once(server, 'listening');
    url = `http://nobody.test:${(server.address() as AddressInfo).port}/`;
  });
  afterEach(() => void server.close());

  it.each(['127.0.0.1', 'localhost'])('is reached at %s, until it is forgotten', async (address) => {
    const forget = nameAddress('nobody.test', address);
    try {
      expect(await (await fetch(url)).text()).toBe(new URL(url).host);
      const [response] = (await once(get(url), 'response')) as [IncomingMessage];
      expect(response.resume().statusCode).toBe(200);
    } finally {
      forget();
    }
    await expect(fetch(url)).rejects.toThrow('fetch failed');
  });
});
