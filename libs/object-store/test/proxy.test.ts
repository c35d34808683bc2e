import { afterAll, afterEach, describe, expect, it } from '@jest/globals';
import { startConnectProxy } from '../../testing/src/connect-proxy.js';
import { endpoint, openStore } from './support.js';

const { hostname, port } = new URL(endpoint);
const proxy = await startConnectProxy({ host: hostname, port: Number(port) });
afterAll(() => proxy.close());

describe('a store behind a proxy', () => {
  afterEach(() => {
    delete process.env.HTTP_PROXY;
    delete process.env.NO_PROXY;
    proxy.hosts.length = 0;
  });

  it('connects through the proxy', async () => {
    process.env.HTTP_PROXY = proxy.url;
    const store = openStore({ endpoint: 'http://s3.test' });
    await store.ensureBucket();
    await store.ping();
    store.close();
    expect(new Set(proxy.hosts)).toEqual(new Set(['s3.test:80']));
  });

  it('connects directly to hosts of NO_PROXY', async () => {
    Object.assign(process.env, { HTTP_PROXY: proxy.url, NO_PROXY: hostname });
    const store = openStore();
    await store.ensureBucket();
    store.close();
    expect(proxy.hosts).toEqual([]);
  });
});
