import { mock } from 'node:test';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { z } from 'zod';
import { createServiceClient, tokenExchange } from '../src/index.js';
import { always, later, startOtherService } from './other-service.js';

const authorization = await startOtherService();
let issued = 0;
afterAll(() => authorization.close());
beforeEach(() => {
  authorization.received.length = 0;
  issued = 0;
  issue();
});
afterEach(() => {
  mock.timers.reset();
});

const issue = () =>
  authorization.answer((_req, res) =>
    res.end(JSON.stringify({ access_token: `token-${++issued}`, token_type: 'bearer', expires_in: 300 })),
  );
const actAs = () =>
  tokenExchange({ tokenUrl: `${authorization.baseUrl}/token`, clientId: 'svc', clientSecret: 's3cret' });
describe('a token that acts for a subject', () => {
  it('is requested when it is needed, by the id of its subject (RFC 8693)', async () => {
    const token = actAs()({ id: 'user&1', type: 'user' });
    expect(authorization.received).toEqual([]);
    expect(await token.get()).toBe('token-1');
    const [{ headers, body }] = authorization.received as [(typeof authorization.received)[number]];
    expect(headers.authorization).toBe(`Basic ${Buffer.from('svc:s3cret').toString('base64')}`);
    expect(Object.fromEntries(new URLSearchParams(body))).toEqual({
      grant_type: 'urn:ietf:params:oauth:grant-type:token-exchange',
      subject: 'user&1',
      subject_type: 'user',
    });
    await actAs()({ id: 'somebody' }).get();
    expect(new URLSearchParams(authorization.received[1]!.body).has('subject_type')).toBe(false);
  });

  it('is cached for its subject until it is discarded', async () => {
    const start = actAs();
    const [olga, gus] = [start({ id: 'olga' }), start({ id: 'gus' })];
    expect(await Promise.all([olga.get(), olga.get()])).toEqual(['token-1', 'token-1']);
    expect(await gus.get()).toBe('token-2');
    olga.discard('token-1');
    expect(await olga.get()).toBe('token-3');
    olga.discard('token-1');
    expect(await olga.get()).toBe('token-3');
  });

  it('is rejected permanently when its subject is no longer active, even if one is cached', async () => {
    const token = actAs()({ id: 'olga' });
    await token.get();
    for (const status of [400, 403]) {
      authorization.answerWith(status, { error: 'invalid_grant' });
      later(241_000);
      await expect(token.get()).rejects.toMatchObject({
        status: 403,
        message: 'The user or application that started this is no longer active.',
      });
    }
  });

  it.each<[string, () => void]>([
    ['fails', () => authorization.answerWith(500, { error: 'invalid_grant' })],
    ['does not know this grant yet', () => authorization.answerWith(400, { error: 'unsupported_grant_type' })],
    ['does not know this service yet', () => authorization.answerWith(401, { error: 'invalid_client' })],
  ])('is a 503 while the authorization server %s', async (_what, break_) => {
    const token = actAs()({ id: 'olga' });
    break_();
    await expect(token.get()).rejects.toMatchObject({ status: 503 });
    issue();
    await token.get();
    break_();
    later(241_000);
    expect(await token.get()).toBe('token-1');
  });
});

describe('a call on behalf of a subject', () => {
  let other: Awaited<ReturnType<typeof startOtherService>>;
  let client: ReturnType<typeof createServiceClient>;
  const call = () => client.call({ path: '/x', as: actAs()({ id: 'olga' }) }, z.object({}));
  const sent = () => other.received.map(({ headers }) => headers.authorization);
  /** Responds with 401 to these tokens. */
  const reject = (...tokens: string[]) =>
    other.answer((req, res) =>
      res
        .writeHead(tokens.includes(req.headers.authorization!.slice('Bearer '.length)) ? 401 : 200)
        .end('{"code":"UNAUTHORIZED"}'),
    );

  beforeAll(async () => {
    other = await startOtherService();
    client = createServiceClient({ baseUrl: other.baseUrl, token: always('own-token') });
  });
  beforeEach(() => {
    other.received.length = 0;
  });
  afterAll(async () => {
    await client.close();
    await other.close();
  });

  it('carries the token of that subject', async () => {
    reject();
    await call();
    expect(sent()).toEqual(['Bearer token-1']);
  });

  it('is repeated once with a new token when its token was revoked', async () => {
    reject('token-1');
    await call();
    expect(sent()).toEqual(['Bearer token-1', 'Bearer token-2']);
  });

  it('fails permanently when there is no new token', async () => {
    const token = actAs()({ id: 'olga' });
    await token.get();
    reject('token-1');
    authorization.answerWith(400, { error: 'invalid_grant' });
    await expect(client.call({ path: '/x', as: token }, z.object({}))).rejects.toMatchObject({
      status: 403,
      code: 'SUBJECT_INACTIVE',
    });
    expect(sent()).toEqual(['Bearer token-1']);
  });

  it('can be retried later when a new token is rejected, too', async () => {
    reject('token-1', 'token-2');
    await expect(call()).rejects.toMatchObject({ status: 503 });
    expect(sent()).toEqual(['Bearer token-1', 'Bearer token-2']);
  });
});
