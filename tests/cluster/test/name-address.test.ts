import { once } from 'node:events';
import { createServer, get, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, it } from '@jest/globals';
import { nameAddress } from '../src/visit/name-address.js';

it.each(['127.0.0.1', 'localhost'])(
  'a host that only this process resolves is reached at %s, until it is forgotten',
  async (address) => {
    const server = createServer((req, res) => res.setHeader('connection', 'close').end(req.headers.host)).listen(0);
    await once(server, 'listening');
    const url = `http://nobody.test:${(server.address() as AddressInfo).port}/`;
    const forget = nameAddress('nobody.test', address);
    try {
      expect(await (await fetch(url)).text()).toBe(new URL(url).host);
      const [response] = (await once(get(url), 'response')) as [IncomingMessage];
      expect(response.resume().statusCode).toBe(200);
    } finally {
      forget();
    }
    await expect(fetch(url)).rejects.toThrow('fetch failed');
    server.close();
  },
);
