import { mock } from 'node:test';
import { afterAll, afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { clientCredentials } from '../src/index.js';
import { later, startOtherService } from './other-service.js';

const server = await startOtherService();
let issued = 0;
afterAll(() => server.close());
beforeEach(() => {
  server.received.length = 0;
  issue(3600);
});
afterEach(() => {
  mock.timers.reset();
});

const issue = (expires_in: number) =>
  server.answer((_req, res) =>
    res.end(JSON.stringify({ access_token: `token-${++issued}`, token_type: 'bearer', expires_in })),
  );
const tokens = () => {
  const source = clientCredentials({ tokenUrl: `${server.baseUrl}/token`, clientId: 'svc', clientSecret: 's3cret' });
  return () => source.get();
};
describe('a service’s own token', () => {
  it('is requested with its credentials (RFC 6749, section 4.4)', async () => {
    await tokens()();
    expect(server.received).toMatchObject([
      {
        method: 'POST',
        url: '/token',
        body: 'grant_type=client_credentials',
        headers: {
          authorization: `Basic ${Buffer.from('svc:s3cret').toString('base64')}`,
          'content-type': 'application/x-www-form-urlencoded',
        },
      },
    ]);
  });

  it('is cached, and requested once for concurrent calls', async () => {
    const token = tokens();
    const all = await Promise.all([token(), token(), token()]);
    expect(new Set([...all, await token()]).size).toBe(1);
    expect(server.received).toHaveLength(1);
  });

  it('is refreshed a minute before it expires', async () => {
    const token = tokens();
    const first = await token();
    later(3600_000 - 61_000);
    expect(await token()).toBe(first);
    later(2000);
    expect(await token()).not.toBe(first);
  });

  it('with a short lifetime is refreshed after half of it', async () => {
    issue(2);
    const token = tokens();
    const first = await token();
    later(900);
    expect(await token()).toBe(first);
    later(200);
    expect(await token()).not.toBe(first);
  });

  it.each<[string, () => void]>([
    ['refuses', () => server.answerWith(403, { error: 'invalid_client' })],
    ['fails', () => server.answerWith(500, 'x')],
    ['hangs up', () => server.answer((_req, res) => res.destroy())],
    ['answers something else', () => server.answerWith(200, { access_token: 17 })],
  ])('is a 503 while the authorization server %s, and available once it recovers', async (_what, break_) => {
    const token = tokens();
    break_();
    await expect(token()).rejects.toMatchObject({ status: 503 });
    issue(3600);
    expect(await token()).toBe(`token-${issued}`);
  });

  it('stays in use until it expires while the authorization server is unavailable, without a request by each call', async () => {
    const token = tokens();
    const first = await token();
    server.answerWith(503, 'x');
    later(3600_000 - 30_000);
    const before = server.received.length;
    for (let call = 0; call < 3; call++) expect(await token()).toBe(first);
    expect(server.received).toHaveLength(before + 1);
    later(31_000);
    await expect(token()).rejects.toMatchObject({ status: 503 });
    issue(3600);
    expect(await token()).not.toBe(first);
  });

  it('is obtained even if a connection breaks', async () => {
    let isFirst = true;
    server.answer((_req, res) => {
      if (!isFirst) return void res.end('{"access_token":"t","expires_in":60}');
      isFirst = false;
      res.destroy();
    });
    expect(await tokens()()).toBe('t');
  });
});
