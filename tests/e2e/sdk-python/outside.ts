import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { freePort } from '@dtplatform/stack';
import { signInAsBrowser } from '@dtplatform/stack/client';
import { startCuttableProxy } from '@dtplatform/testing';
import { registerApp } from '../cli/support.js';
import { createAccount } from '../support/people.js';
import { dev, devJsonFile } from '../support/platform.js';

/** What the Python tests need around them: a user with a browser, and a proxy that can be cut. */
export async function startOutside() {
  const account = await createAccount();
  const { hostname, port } = new URL(dev.baseUrl);
  const proxy = await startCuttableProxy({ hostname, port });
  const loopbackUri = `http://127.0.0.1:${await freePort()}/callback`;

  const signIn = async (url: URL) => {
    const redirectUri = url.searchParams.get('redirect_uri')!;
    return (await signInAsBrowser(url, account, { redirectUri })).href;
  };
  const actions: Record<string, (url: URL) => unknown> = {
    '/sign-in': signIn,
    '/visit': async (url) => (await fetch(await signIn(url))).text(),
    '/cut': () => proxy.cut(),
    '/mend': () => proxy.mend(),
  };
  const server = createServer((req, res) => {
    const { pathname, searchParams } = new URL(req.url!, 'http://localhost');
    void (async () => actions[pathname]!(new URL(searchParams.get('url') ?? dev.baseUrl)))().then(
      (text) => res.end(text),
      (error: unknown) => res.writeHead(500).end(String(error)),
    );
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));

  return {
    env: {
      DEV_JSON: devJsonFile,
      OUTSIDE: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
      PROXY: proxy.url,
      LOOPBACK_URI: loopbackUri,
      LOOPBACK_APP: await registerApp(loopbackUri),
    },
    async stop() {
      await proxy.close();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
