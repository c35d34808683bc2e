import { createHash } from 'node:crypto';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { z } from 'zod';
import { commonErrors } from '@dtplatform/errors';
import { silentLogger } from '@dtplatform/logging';
import { connectMongo, createIdempotencyStore } from '@dtplatform/mongo';
import type { ClientSession, Mongo } from '@dtplatform/mongo';
import { testEnvironment } from '@dtplatform/testing';
import { created, locationHeader, ok, route, routes, wholePage } from '../src/index.js';
import type { KeptResponse } from '../src/index.js';
import { anyCaller, startApi } from './start-api.js';

describe('Idempotency-Key', () => {
  let mongo: Mongo;
  let app: Awaited<ReturnType<typeof startApi>>;
  let made = 0;
  const large = new Map<string, object>();
  const reads = { now: 0, most: 0 };
  /** The same service with another secret. */
  let rotated: typeof app;
  let entered: () => void = () => undefined;
  let release: () => void = () => undefined;

  const table = routes('/things', [
    route.post('/', {
      ...anyCaller('things.create'),
      body: z.object({ name: z.string(), password: z.string().optional(), data: z.looseObject({}).optional() }),
      responses: { 201: null },
      headers: { 201: [locationHeader] },
      secrets: ['_secret'],
      handler: async ({ body }) => {
        if (body.name === 'bad') throw commonErrors.conflict();
        made += 1;
        const { data } = body;
        return created({ number: made, _secret: 'only once', ...(data && { data }) }, { location: `/things/${made}` });
      },
    }),
    route.post('/count', { ...anyCaller('things.count'), reads: true, handler: async () => ok({ made }) }),
    route.post('/many', {
      ...anyCaller('things.createMany'),
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
      ...anyCaller('things.createLarge'),
      responses: { 201: z.object({ _id: z.string(), text: z.string() }) },
      etag: (thing: { _revision: number }) => thing._revision,
      show: ({ _revision, ...shown }) => shown,
      again: async () => ({ _id: 'large', _revision: 7, text: 'changed' }),
      handler: async () => created({ _id: 'large', _revision: 6, text: 'x'.repeat(17 * 1024 * 1024) }),
    }),
    route.post('/stages', {
      ...anyCaller('things.createInStages'),
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
      ...anyCaller('things.createBare'),
      responses: { 201: null },
      handler: async () => created({ text: 'x'.repeat(70_000) }),
    }),
    route.post('/streams', {
      ...anyCaller('things.stream'),
      streamedBody: 'application/octet-stream',
      responses: { 201: null },
      handler: async ({ req }) => {
        req.resume();
        made += 1;
        return created({ number: made });
      },
    }),
  ]);
  const post = (path: string, key: string, body?: object | string, { to = app, user = 'ann' } = {}) =>
    to.api
      .post(`/api/things${path}`)
      .set({ authorization: `Bearer user-${user}`, 'idempotency-key': key })
      .send(body);
  const create = (key: string, name: string, user?: string) => post('', key, { name }, { user });

  beforeAll(async () => {
    const { MONGO_URL, MONGO_DB } = testEnvironment('http');
    mongo = await connectMongo({ url: MONGO_URL!, database: MONGO_DB!, appName: 'test', log: silentLogger() });
    const store = createIdempotencyStore<KeptResponse>(mongo);
    app = await startApi([table], { idempotency: { store, secret: 'secret of the service' } });
    rotated = await startApi([table], { idempotency: { store, secret: 'next secret of the service' } });
  });
  afterAll(async () => {
    await Promise.all([app.stop(), rotated.stop()]);
    await mongo.db.dropDatabase();
    await mongo.close();
  });

  it('returns the first response to a repeated request, without its secret, even after the hash secret was rotated', async () => {
    const first = await create('k1', 'a').expect(201);
    expect(first.body).toEqual({ number: first.body.number, _secret: 'only once' });
    for (const to of [app, rotated]) {
      const again = await post('', 'k1', { name: 'a' }, { to }).expect(201);
      expect(again.body).toEqual({ number: first.body.number });
      expect(again.headers).toMatchObject({ location: first.headers.location, 'idempotency-replayed': 'true' });
    }
  });

  it('does not treat content that was not compared as a repetition', async () => {
    const send = (bytes: string) => post('/streams', 's1', bytes).type('application/octet-stream').expect(201);
    const first = await send('a');
    expect((await send('b')).body.number).not.toBe(first.body.number);
  });

  it('separates callers', async () => {
    const ann = await create('k2', 'a').expect(201);
    const ben = await create('k2', 'a', 'ben').expect(201);
    expect(ben.body.number).not.toBe(ann.body.number);
  });

  it('rejects a key with different input, and an invalid key', async () => {
    await create('k3', 'a').expect(201);
    await create('k3', 'b').expect(400);
    await create('x'.repeat(256), 'a').expect(400);
  });

  it('compares all input, including fields named like secrets, and stores nothing that would allow guessing it', async () => {
    const send = (more: object) => post('', 'k6', { name: 'a', ...more });
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
    const count = async () => (await post('/count', 'c1')).body.made as number;
    const before = await count();
    await create('c2', 'a').expect(201);
    expect(await count()).toBe(before + 1);
  });

  it('rebuilds a long response, and rejects the repetition when a part no longer exists', async () => {
    const send = () => post('/many', 'l1', { count: 2 });
    const first = await send().expect(201);
    const second = await send().expect(201);
    expect(second.body).toEqual(first.body);
    expect(second.headers['idempotency-replayed']).toBe('true');
    large.delete(first.body._list[1]._id);
    const gone = await send().expect(409);
    expect(gone.headers['retry-after']).toBeUndefined();
    expect(gone.body).toMatchObject({ code: 'REPLY_GONE', message: expect.stringContaining('was deleted') });
  });

  it('rebuilds a long list, several entries at a time', async () => {
    const send = () => post('/many', 'l3', { count: 20, asArray: true }).expect(201);
    const first = await send();
    reads.most = 0;
    expect((await send()).body).toEqual(first.body);
    expect(reads.most).toBe(8);
  });

  it('does not report missing parts of a response that cannot be rebuilt', async () => {
    await post('/bare', 'l4').expect(201);
    const message = 'The first request succeeded, but its response cannot be returned again.';
    expect((await post('/bare', 'l4').expect(409)).body).toMatchObject({ code: 'REPLY_GONE', message });
  });

  it('returns a resource that is too long to store in its current state, with its ETag', async () => {
    expect((await post('/large', 'l2').expect(201)).headers.etag).toBe('"6"');
    const second = await post('/large', 'l2').expect(201);
    expect([second.body, second.headers.etag]).toEqual([{ _id: 'large', text: 'changed' }, '"7"']);
  });

  it('frees the key of a failed request', async () => {
    await create('k4', 'bad').expect(409);
    await create('k4', 'good').expect(201);
  });

  it('rejects a repetition while the first request runs, and returns what it wrote once its process has died', async () => {
    const send = () => post('/stages', 'd1');
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
