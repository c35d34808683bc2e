import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { createLogger } from '@dtplatform/logging';
import { createAppOrigins, remoteOrigins } from '@dtplatform/runtime';
import { createServiceClient } from '@dtplatform/service-client';
import { eventually, fixedToken } from '@dtplatform/testing';
import { appClient, APPS } from './app-client.js';
import type { AppClient } from './app-client.js';
import { REDIRECT_URI, startApp } from './start-app.js';
import type { TestApp } from './start-app.js';

describe('pages of other origins', () => {
  let app: TestApp;
  let client: AppClient;
  let olga: string;
  let id: string;

  const authorize = (_authorizedOrigins: string) =>
    app.api
      .put(`${APPS}/${id}`)
      .set({ authorization: olga })
      .send({ _name: 'Viewer', _redirectUris: REDIRECT_URI, _authorizedOrigins })
      .expect(200);
  const allowedFor = async (origin: string) => {
    const preflight = await app.api.options(APPS).set({ origin, 'access-control-request-method': 'GET' });
    return preflight.headers['access-control-allow-origin'] === origin;
  };

  beforeAll(async () => {
    app = await startApp();
    client = await appClient(app);
    const owner = await client.createUser('olga');
    olga = await client.signIn(owner);
    id = (await client.createApp(owner)).id;
  });
  afterAll(() => app.stop());

  it('may call while an application authorizes them', async () => {
    expect(await allowedFor('https://viewer.test')).toBe(false);
    await authorize('https://viewer.test/, http://localhost:4321');
    const wait = { timeoutMs: 15_000 };
    await eventually(async () => expect(await allowedFor('https://viewer.test')).toBe(true), wait);
    expect(await allowedFor('http://localhost:4321')).toBe(true);
    for (const origin of ['http://viewer.test', 'https://viewer.test:8443', 'https://viewer.test.evil.test', 'null'])
      expect(await allowedFor(origin)).toBe(false);
    await authorize('');
    await eventually(async () => expect(await allowedFor('https://viewer.test')).toBe(false), wait);
  });

  it('are known to other services', async () => {
    await authorize('https://viewer.test');
    const token = fixedToken(client.trusted);
    const passportsvc = createServiceClient({ baseUrl: app.url, token });
    const log = createLogger({ service: 'test', level: 'silent' });
    try {
      const isAllowed = createAppOrigins(
        remoteOrigins(() => passportsvc),
        log,
      );
      expect(await isAllowed('https://viewer.test')).toBe(true);
      expect(await isAllowed('https://other.test')).toBe(false);
    } finally {
      await passportsvc.close();
    }
  });
});
