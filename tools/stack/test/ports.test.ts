import { createServer } from 'node:net';
import { once } from 'node:events';
import { describe, expect, it } from '@jest/globals';
import { freePort, isPortFree } from '../src/ports.js';

describe('ports', () => {
  it('distinguishes a port in use from a free one', async () => {
    const port = await freePort();
    expect(await isPortFree(port)).toBe(true);

    const server = createServer().listen(port, '127.0.0.1');
    await once(server, 'listening');
    expect(await isPortFree(port)).toBe(false);
    server.close();
  });

  it('hands out each port once', async () => {
    const ports = await Promise.all(Array.from({ length: 50 }, freePort));
    expect(new Set(ports).size).toBe(50);
  });
});
