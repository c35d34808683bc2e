import { afterEach, describe, expect, it } from '@jest/globals';
import { createRemoteJWKSet, jwtVerify } from 'jose';
import { eventually, startCuttableProxy } from '@dtplatform/testing';
import { createBrowser } from './browser.js';
import { startApp } from './start-app.js';
import type { TestApp } from './start-app.js';
import {
  authorizeUrl,
  codeFor,
  OAUTH_V1,
  readSelf,
  redeem,
  refreshWith,
  requestToken,
  s256,
  tokensFor,
} from './tokens.js';

describe('when a backend is unavailable', () => {
  let app: TestApp | undefined;
  afterEach(() => app?.stop().catch(() => undefined));

  const expectUnavailable = (response: { status: number; headers: unknown; body: unknown }) => {
    expect(response.status).toBe(503);
    expect(response.headers).toHaveProperty('retry-after');
    expect(response.body).toEqual({ error: 'temporarily_unavailable', error_description: expect.any(String) });
  };

  it('responds with 503 on the OAuth endpoints without MongoDB', async () => {
    app = await startApp();
    const replica = await app.startInstance();
    await replica.deps.signingKeys();
    await replica.deps.mongo.close();
    expectUnavailable(await requestToken(replica, { grant_type: 'client_credentials' }, app.trusted));
    const authorize = authorizeUrl(app);
    const response = await replica.api.get(authorize.pathname + authorize.search);
    // For people.
    expect([response.status, response.type]).toEqual([503, 'text/html']);
    expect(response.headers).toHaveProperty('retry-after');
    expect(response.headers).not.toHaveProperty('location');
    await replica.stop();
  });

  it('responds with 503 after a start without MongoDB, until it is available', async () => {
    app = await startApp();
    const replica = await app.startInstance({ MONGO_URL: 'mongodb://127.0.0.1:9/?directConnection=true' });
    expectUnavailable(await requestToken(replica, { grant_type: 'client_credentials' }, app.trusted));
    await expect(replica.deps.checks.signing_keys()).rejects.toThrow();
    await replica.stop();
  });

  it('revokes a reused refresh token completely once Redis is available again', async () => {
    app = await startApp();
    const { access, refresh } = await tokensFor(app);
    await refreshWith(app, refresh).expect(200);
    const replica = await app.startInstance();
    await replica.deps.redis.close();
    expectUnavailable(await refreshWith(replica, refresh, app.trusted));
    await replica.stop();

    await refreshWith(app, refresh).expect(403);
    await readSelf(app, access).expect(401);
  });

  it('issues tokens and publishes keys without Redis', async () => {
    app = await startApp();
    const verifier = 'a-verifier-while-redis-is-away-0123456789';
    const code = await codeFor(app, { code_challenge: s256(verifier), code_challenge_method: 'S256' });
    const replica = await app.startInstance();
    await replica.deps.redis.close();
    const publicClient = { client_id: app.trusted.id };
    const first = await redeem(replica, code, { ...publicClient, code_verifier: verifier }).expect(200);
    const refresh = { grant_type: 'refresh_token', refresh_token: first.body.refresh_token as string };
    const second = await requestToken(replica, { ...refresh, ...publicClient }).expect(200);
    const third = await requestToken(replica, { grant_type: 'client_credentials' }, app.trusted).expect(200);
    const keys = createRemoteJWKSet(new URL(`${replica.url}${OAUTH_V1}/jwks`));
    for (const { body } of [first, second, third]) {
      await jwtVerify(body.access_token, keys, { issuer: `${app.url}${OAUTH_V1}`, typ: 'at+jwt' });
    }
    await replica.stop();
    await readSelf(app, `Bearer ${third.body.access_token as string}`).expect(200);
  });

  it.each([
    ['comes back', true],
    ['stays away', false],
  ])('redeems a code at most once when the response is lost and MongoDB %s', async (_, comesBack) => {
    app = await startApp();
    const proxy = await startCuttableProxy(new URL(app.env.MONGO_URL!));
    const url = new URL(app.env.MONGO_URL!);
    url.host = `127.0.0.1:${proxy.port}`;
    url.searchParams.set('directConnection', 'true');
    const replica = await app.startInstance({ MONGO_URL: url.href });
    try {
      const code = await codeFor(app, {}, createBrowser());
      // The service has cached the app and its keys, so the exchange itself breaks.
      await requestToken(replica, { grant_type: 'client_credentials' }, app.trusted).expect(200);
      const authorizations = app.mongo.db.collection('authorizations');
      proxy.cutAfter('findAndModify');
      const exchange = redeem(replica, code, {}, app.trusted).then((response) => response);
      await eventually(async () => expect(await authorizations.countDocuments({ generation: 1 })).toBe(1));
      if (comesBack) proxy.mend();
      const first = await exchange;
      expect([200, 503]).toContain(first.status);
      proxy.mend();
      const again = await eventually(async () => {
        const response = await redeem(replica, code, {}, app!.trusted);
        expect(response.status).not.toBe(503);
        return response;
      });
      expect([again.status, again.body.error]).toEqual([403, 'invalid_grant']);
      expect(await authorizations.countDocuments()).toBe(0);
      if (first.status === 200) await refreshWith(app, first.body.refresh_token).expect(403);
    } finally {
      await replica.stop();
      await proxy.close();
    }
  });
});
