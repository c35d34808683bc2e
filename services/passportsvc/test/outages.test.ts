import { afterEach, describe, expect, it } from '@jest/globals';
import { startApp } from './start-app.js';
import type { TestApp } from './start-app.js';
import { authorizeUrl, codeFor, redeem, requestToken } from './tokens.js';

describe('when a backend is unavailable', () => {
  let app: TestApp | undefined;
  afterEach(() => app?.stop().catch(() => undefined));

  const expectUnavailable = (reply: { status: number; headers: unknown; body: unknown }) => {
    expect(reply.status).toBe(503);
    expect(reply.headers).toHaveProperty('retry-after');
    expect(reply.body).toEqual({ error: 'temporarily_unavailable', error_description: expect.any(String) });
  };

  it('the OAuth endpoints answer 503 without MongoDB', async () => {
    app = await startApp();
    const replica = await app.startInstance();
    await replica.deps.signingKeys();
    await replica.deps.mongo.close();
    expectUnavailable(await requestToken(replica, { grant_type: 'client_credentials' }, app.trusted));
    const authorize = authorizeUrl(app);
    const reply = await replica.api.get(authorize.pathname + authorize.search);
    expectUnavailable(reply);
    expect(reply.headers).not.toHaveProperty('location');
    await replica.stop();
  });

  it('a service that starts without MongoDB answers 503 until MongoDB is available', async () => {
    app = await startApp();
    const replica = await app.startInstance({ MONGO_URL: 'mongodb://127.0.0.1:9/?directConnection=true' });
    expectUnavailable(await requestToken(replica, { grant_type: 'client_credentials' }, app.trusted));
    await expect(replica.deps.checks.signing_keys!()).rejects.toThrow();
    await replica.stop();
  });

  it('a reused refresh token is revoked completely once Redis is available again', async () => {
    app = await startApp();
    const tokens = await redeem(app, await codeFor(app), {}, app.trusted).expect(200);
    const refresh = { grant_type: 'refresh_token', refresh_token: tokens.body.refresh_token as string };
    await requestToken(app, refresh, app.trusted).expect(200);
    const replica = await app.startInstance();
    await replica.deps.redis.close();
    expectUnavailable(await requestToken(replica, refresh, app.trusted));
    await replica.stop();

    await requestToken(app, refresh, app.trusted).expect(403);
    const authorization = `Bearer ${tokens.body.access_token as string}`;
    await app.api.get(`/passportsvc/api/v1/apps/${app.trusted.id}`).set({ authorization }).expect(401);
  });
});
