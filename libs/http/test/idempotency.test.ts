import { createHash } from 'node:crypto';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { z } from 'zod';
import supertest from 'supertest';
import { commonErrors } from '@dtplatform/errors';
import { silentLogger } from '@dtplatform/logging';
import { connectMongo, createIdempotencyStore } from '@dtplatform/mongo';
import type { ClientSession, Mongo } from '@dtplatform/mongo';
import { testEnvironment } from '@dtplatform/testing';
import { created, createHttpApp, documents, locationHeader, ok, route, routes, wholePage } from '../src/index.js';
import type { Authenticate, KeptResponse } from '../src/index.js';

describe('Idempotency-Key', () => {
  let mongo: Mongo;
  let api: ReturnType<typeof supertest>;
  let made = 0;
  const large = new Map<string, object>();
  const reads = { now: 0, most: 0 };
  /** The same service with another secret. */
  let rotated: ReturnType<typeof supertest>;
  let entered: () => void = () => undefined;
  let release: () => void = () => undefined;

  const as = (id: string) => ({ authorization: id });
  const authenticate = (async (req) => ({ principal: { id: req.headers.authorization } })) as Authenticate;
  const table = routes('/things', [
    route.post('/', {
      operation: 'things.create',
      needs: documents({ rule: 'anyone' }),
      summary: 'Make a thing.',
      body: z.object({ name: z.string(), password: z.string().optional(), data: z.looseObject({}).optional() }),
      responses: { 201: null },
      headers: { 201: [locationHeader] },
      secrets: ['_secret'],
      handler: async ({ body }) => {
        if (body.name === 'bad') throw commonErrors.conflict();
        if (body.name === 'slow') {
          entered();
          await new Promise<void>((resolve) => (release = resolve));
        }
        made += 1;
        const { data } = body;
        return created({ number: made, _secret: 'only once', ...(data && { data }) }, { location: `/things/${made}` });
      },
    }),
    route.post('/count', {
      operation: 'things.count',
      needs: documents({ rule: 'anyone' }),
      summary: 'Count the things.',
      reads: true,
      responses: { 200: null },
      handler: async () => ok({ made }),
    }),
    route.post('/many', {
      operation: 'things.createMany',
      needs: documents({ rule: 'anyone' }),
      summary: 'Make large things.',
      body: z.object({ count: z.number(), asArray: z.boolean().optional() }),
      responses: { 201: null },
      again: async (id) => {
        reads.most = Math.max(reads.most, ++reads.now);
        await nextTurn();
        reads.now -= 1;
        if (!large.has(id)) throw commonErrors.notFound();
        return large.get(id);
      },
      handler: async ({ body }) => {
        const list = Array.from({ length: body.count }, () => ({ _id: String((made += 1)), text: 'x'.repeat(40_000) }));
        for (const one of list) large.set(one._id, one);
        return created(body.asArray ? list : { ...wholePage(list), _failures: [] });
      },
    }),
    route.post('/large', {
      operation: 'things.createLarge',
      needs: documents({ rule: 'anyone' }),
      summary: 'Make a large thing.',
      responses: { 201: z.object({ _id: z.string(), text: z.string() }) },
      etag: (thing: { _revision: number }) => thing._revision,
      show: ({ _revision, ...shown }) => shown,
      again: async () => ({ _id: 'large', _revision: 7, text: 'changed' }),
      handler: async () => created({ _id: 'large', _revision: 6, text: 'x'.repeat(17 * 1024 * 1024) }),
    }),
    route.post('/stages', {
      operation: 'things.createInStages',
      needs: documents({ rule: 'anyone' }),
      summary: 'Make a thing, and go on to use it.',
      responses: { 201: z.object({ _id: z.string() }) },
      etag: (thing: { _revision: number }) => thing._revision,
      show: ({ _revision, ...shown }) => shown,
      handler: async () => {
        const thing = { _id: String((made += 1)), _revision: 1 };
        const insert = (session?: ClientSession) => mongo.db.collection('things').insertOne({ made }, { session });
        await mongo.create(insert, { early: () => thing });
        entered();
        await new Promise<void>((resolve) => (release = resolve));
        return created({ ...thing, _revision: 2 });
      },
    }),
    route.post('/bare', {
      operation: 'things.createBare',
      needs: documents({ rule: 'anyone' }),
      summary: 'Make a large thing that is not shown again.',
      responses: { 201: null },
      handler: async () => created({ text: 'x'.repeat(70_000) }),
    }),
    route.post('/streams', {
      operation: 'things.stream',
      needs: documents({ rule: 'anyone' }),
      summary: 'Make a thing of bytes.',
      streamedBody: 'application/octet-stream',
      responses: { 201: null },
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
    const store = createIdempotencyStore<KeptResponse>(mongo);
    const start = (secret: string) =>
      supertest(
        createHttpApp({
          mounts: [{ prefix: '', tables: [table] }],
          authenticate,
          log: silentLogger(),
          idempotency: { store, secret },
          checksDeclarations: true,
        }),
      );
    api = start('secret of the service');
    rotated = start('next secret of the service');
  });
  afterAll(async () => {
    await mongo.db.dropDatabase();
    await mongo.close();
  });

  it('returns the first response to a repeated request, without its secret', async () => {
    const first = await post('ann', 'k1', 'a').expect(201);
    const second = await post('ann', 'k1', 'a').expect(201);
    expect(first.body).toEqual({ number: first.body.number, _secret: 'only once' });
    expect(second.body).toEqual({ number: first.body.number });
    expect(second.headers).toMatchObject({ location: first.headers.location, 'idempotency-replayed': 'true' });
  });

  it('does not treat content that was not compared as a repetition', async () => {
    const send = (bytes: string) =>
      api
        .post('/things/streams')
        .set({ ...as('ann'), 'idempotency-key': 's1', 'content-type': 'application/octet-stream' })
        .send(bytes);
    const first = await send('a').expect(201);
    const second = await send('b').expect(201);
    expect(second.body.number).not.toBe(first.body.number);
  });

  it('separates callers', async () => {
    const ann = await post('ann', 'k2', 'a').expect(201);
    const ben = await post('ben', 'k2', 'a').expect(201);
    expect(ben.body.number).not.toBe(ann.body.number);
  });

  it('rejects a key with different input, and an invalid key', async () => {
    await post('ann', 'k3', 'a').expect(201);
    await post('ann', 'k3', 'b').expect(400);
    await post('ann', 'x'.repeat(256), 'a').expect(400);
  });

  it('compares all input, including fields named like secrets, and stores nothing from which it could be guessed', async () => {
    const key = { ...as('ann'), 'idempotency-key': 'k6' };
    const send = (more: object) =>
      api
        .post('/things')
        .set(key)
        .send({ name: 'a', ...more });
    const data = { password: 'p', _secret: 's', inner: { clientSecret: 'c' } };
    await send({ password: 'one', data }).expect(201);
    await send({ password: 'other', data }).expect(400);
    await send({ password: 'one', data: { ...data, inner: { clientSecret: 'd' } } }).expect(400);
    expect((await send({ password: 'one', data }).expect(201)).body.data).toEqual(data);
    const input = JSON.stringify([null, null, { name: 'a', password: 'one', data }]);
    const guess = createHash('sha256').update(input).digest('base64url');
    const stored = JSON.stringify(await mongo.db.collection('idempotency_keys').find().toArray());
    expect(stored).not.toContain(guess);
    expect(stored).not.toContain('one"');
  });

  it('ignores the key of a POST that only reads', async () => {
    const count = async () =>
      (await api.post('/things/count').set({ ...as('ann'), 'idempotency-key': 'c1' })).body.made as number;
    const before = await count();
    await post('ann', 'c2', 'a').expect(201);
    expect(await count()).toBe(before + 1);
  });

  it('rebuilds a long response, and rejects the repetition when a part no longer exists', async () => {
    const send = () => api.post('/things/many').set({ ...as('ann'), 'idempotency-key': 'l1' });
    const first = await send().send({ count: 2 }).expect(201);
    const second = await send().send({ count: 2 }).expect(201);
    expect(second.body).toEqual(first.body);
    expect(second.headers['idempotency-replayed']).toBe('true');
    large.delete(first.body._list[1]._id);
    const gone = await send().send({ count: 2 }).expect(409);
    expect(gone.headers['retry-after']).toBeUndefined();
    expect(gone.body).toMatchObject({ code: 'REPLY_GONE', message: expect.stringContaining('gone') });
  });

  it('rebuilds a long list, several entries at a time', async () => {
    const send = () => api.post('/things/many').set({ ...as('ann'), 'idempotency-key': 'l3' });
    const first = await send().send({ count: 20, asArray: true }).expect(201);
    reads.most = 0;
    expect((await send().send({ count: 20, asArray: true }).expect(201)).body).toEqual(first.body);
    expect(reads.most).toBe(8);
  });

  it('does not report missing parts of a response that cannot be rebuilt', async () => {
    const send = () => api.post('/things/bare').set({ ...as('ann'), 'idempotency-key': 'l4' });
    await send().expect(201);
    const message = 'The first request has succeeded, but its reply cannot be shown again.';
    expect((await send().expect(409)).body).toMatchObject({ code: 'REPLY_GONE', message });
  });

  it('does not compare hashes made with an earlier secret', async () => {
    await post('ann', 'r1', 'a').expect(201);
    const again = await rotated
      .post('/things')
      .set({ ...as('ann'), 'idempotency-key': 'r1' })
      .send({ name: 'a' });
    expect([again.status, again.headers['idempotency-replayed']]).toEqual([201, 'true']);
  });

  it('returns a resource that is too long to store in its current state, with its ETag', async () => {
    const send = () => api.post('/things/large').set({ ...as('ann'), 'idempotency-key': 'l2' });
    expect((await send().expect(201)).headers.etag).toBe('"6"');
    const second = await send().expect(201);
    expect([second.body, second.headers.etag]).toEqual([{ _id: 'large', text: 'changed' }, '"7"']);
  });

  it('frees the key of a failed request', async () => {
    await post('ann', 'k4', 'bad').expect(409);
    await post('ann', 'k4', 'good').expect(201);
  });

  it('rejects a repetition while the first request runs', async () => {
    const running = new Promise<void>((resolve) => (entered = resolve));
    const first = post('ann', 'k5', 'slow').then((response) => response);
    await running;
    await post('ann', 'k5', 'slow').expect(409);
    release();
    expect((await first).status).toBe(201);
  });

  it('returns what the first request wrote if its process died afterwards', async () => {
    const send = () => api.post('/things/stages').set({ ...as('ann'), 'idempotency-key': 'd1' });
    const written = new Promise<void>((resolve) => (entered = resolve));
    const first = send().then((response) => response);
    await written;
    await send().expect(409);
    const keys = mongo.db.collection('idempotency_keys');
    await keys.updateMany({ reply: { $exists: true } }, { $set: { 'lease.until': new Date(0) } });
    const repeated = await send().expect(201);
    expect([repeated.headers.etag, repeated.headers['idempotency-replayed']]).toEqual(['"1"', 'true']);
    release();
    expect((await first).body).toEqual(repeated.body);
    expect(await mongo.db.collection('things').countDocuments()).toBe(1);
  });
});
