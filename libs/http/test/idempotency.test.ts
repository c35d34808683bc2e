import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import supertest from 'supertest';
import { z } from 'zod';
import { commonErrors } from '@dtplatform/errors';
import { silentLogger } from '@dtplatform/logging';
import { connectMongo, createIdempotencyStore } from '@dtplatform/mongo';
import type { Mongo } from '@dtplatform/mongo';
import { testEnvironment } from '@dtplatform/testing';
import { anyone, created, createHttpApp, locationHeader, route, routes } from '../src/index.js';
import type { Authenticate, KeptReply } from '../src/index.js';

describe('Idempotency-Key', () => {
  let mongo: Mongo;
  let api: ReturnType<typeof supertest>;
  let made = 0;
  let entered: () => void = () => undefined;
  let release: () => void = () => undefined;

  const as = (id: string) => ({ authorization: id });
  const authenticate = (async (req) => ({ principal: { id: req.headers.authorization } })) as Authenticate;
  const table = routes('/things', [
    route.post('/', {
      operation: 'things.create',
      needs: anyone,
      summary: 'Make a thing.',
      body: z.object({ name: z.string(), password: z.string().optional() }),
      replies: { 201: null },
      headers: { 201: [locationHeader] },
      handler: async ({ body }) => {
        if (body.name === 'bad') throw commonErrors.conflict();
        if (body.name === 'slow') {
          entered();
          await new Promise<void>((resolve) => (release = resolve));
        }
        made += 1;
        return created({ number: made, _secret: 'only once' }, { location: `/things/${made}` });
      },
    }),
    route.post('/streams', {
      operation: 'things.stream',
      needs: anyone,
      summary: 'Make a thing of bytes.',
      streamedBody: 'application/octet-stream',
      replies: { 201: null },
      handler: async ({ req }) => {
        req.resume();
        made += 1;
        return created({ number: made });
      },
    }),
  ]);
  const post = (user: string, key: string, name: string) =>
    api
      .post('/things')
      .set({ ...as(user), 'idempotency-key': key })
      .send({ name });

  beforeAll(async () => {
    const { MONGO_URL, MONGO_DB } = testEnvironment('http');
    mongo = await connectMongo({ url: MONGO_URL!, database: MONGO_DB!, appName: 'test', log: silentLogger() });
    const idempotency = createIdempotencyStore<KeptReply>(mongo);
    api = supertest(
      createHttpApp({
        mounts: [{ prefix: '', tables: [table] }],
        authenticate,
        log: silentLogger(),
        idempotency,
        checksDeclarations: true,
      }),
    );
  });
  afterAll(async () => {
    await mongo.db.dropDatabase();
    await mongo.close();
  });

  it('answers a repetition with the first reply, without its secret', async () => {
    const first = await post('ann', 'k1', 'a').expect(201);
    const second = await post('ann', 'k1', 'a').expect(201);
    expect(first.body).toEqual({ number: first.body.number, _secret: 'only once' });
    expect(second.body).toEqual({ number: first.body.number });
    expect(second.headers).toMatchObject({ location: first.headers.location, 'idempotency-replayed': 'true' });
  });

  it('does not take content that was not compared for a repetition', async () => {
    const send = (bytes: string) =>
      api
        .post('/things/streams')
        .set({ ...as('ann'), 'idempotency-key': 's1', 'content-type': 'application/octet-stream' })
        .send(bytes);
    const first = await send('a').expect(201);
    const second = await send('b').expect(201);
    expect(second.body.number).not.toBe(first.body.number);
  });

  it('keeps callers apart', async () => {
    const ann = await post('ann', 'k2', 'a').expect(201);
    const ben = await post('ben', 'k2', 'a').expect(201);
    expect(ben.body.number).not.toBe(ann.body.number);
  });

  it('refuses the key for other input, and a key that is none', async () => {
    await post('ann', 'k3', 'a').expect(201);
    await post('ann', 'k3', 'b').expect(400);
    await post('ann', 'x'.repeat(256), 'a').expect(400);
  });

  it('keeps nothing from which a secret of the request could be guessed', async () => {
    const send = (password: string) =>
      api
        .post('/things')
        .set({ ...as('ann'), 'idempotency-key': 'k6' })
        .send({ name: 'a', password });
    await send('one').expect(201);
    await send('other').expect(201);
  });

  it('frees the key of a request that failed', async () => {
    await post('ann', 'k4', 'bad').expect(409);
    await post('ann', 'k4', 'good').expect(201);
  });

  it('refuses a repetition while the first request runs', async () => {
    const running = new Promise<void>((resolve) => (entered = resolve));
    const first = post('ann', 'k5', 'slow').then((reply) => reply);
    await running;
    await post('ann', 'k5', 'slow').expect(409);
    release();
    expect((await first).status).toBe(201);
  });
});
