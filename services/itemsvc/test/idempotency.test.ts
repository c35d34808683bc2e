import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { eventually, sendTwice, startCuttableProxy } from '@dtplatform/testing';
import type { CuttableProxy } from '@dtplatform/testing';
import { doors, itemClient, ITEMS, NS } from './item-client.js';
import { API, startApp } from './start-app.js';
import type { TestApp } from './start-app.js';

describe('a request with an idempotency key', () => {
  let app: TestApp;
  let owner: { authorization: string };
  const { create, createOne } = itemClient(() => ({ app, owner }));
  const named = (name: string) => app.mongo.db.collection('items').countDocuments({ _name: name });
  const post = (path: string, body: unknown) =>
    app.api
      .post(path)
      .query({ nsfilter: NS })
      .set(owner)
      .send(body as object);

  beforeAll(async () => {
    app = await startApp();
    owner = await app.caller('olga', NS);
  });
  afterAll(() => app.stop());

  it('creates items, versions, related items, related collections and telemetry configurations once', async () => {
    await sendTwice(() => create([doors({ _name: 'Once' })]));
    expect(await named('Once')).toBe(1);

    const item = await createOne();
    await sendTwice(() => post(`${ITEMS}/${item._id}/versions`, { _userAttributes: { a: 1 }, _userData: {} }));
    expect(await app.mongo.db.collection('item_versions').countDocuments({ _userItemDbId: item._id })).toBe(1);
    const composite = await createOne({ _itemClass: 'NamedCompositeItem', _version: { _userAttributes: {} } });
    await sendTwice(() => post(`${ITEMS}/${composite._id}/relatedcollections`, [{ _itemId: item._id }]));
    expect(await app.mongo.db.collection('related_collections').countDocuments({ _itemId: item._id })).toBe(1);
    await sendTwice(() => post(`${ITEMS}/${item._id}/relateditems`, [{ row: 1 }]));
    expect(await app.mongo.db.collection('related_items').countDocuments({ '_platform.itemId': item._id })).toBe(1);

    const config = {
      ...{ _name: 'Sensors', _shortName: 'once', _description: '', _userType: 'iot_config', _namespaces: [NS] },
      _configData: { _bindings: [], _normalizationScript: { _userType: 'normalize' } },
    };
    await sendTwice(() => post(`${API}/telemetryconfigs`, config));
  });

  it('repeats long replies', async () => {
    const text = 'x'.repeat(70_000);
    const { body } = await sendTwice(() => create([doors({ _version: { _userData: { text } } }), doors()]));
    const [{ _id: id }] = body._list;
    await sendTwice(() => post(`${ITEMS}/${id}/versions`, { _userData: { text } }));
    await sendTwice(() => post(`${ITEMS}/${id}/relateditems`, [{ text, password: 'p' }, { row: 2 }]));
    await sendTwice(() => post(`${ITEMS}/${id}/relateditems/bulk`, [{ text }]));
    const composite = await createOne({ _itemClass: 'NamedCompositeItem', _version: { _userAttributes: {} } });
    const related = Array.from({ length: 300 }, () => ({ _itemId: id }));
    await sendTwice(() => post(`${ITEMS}/${composite._id}/relatedcollections`, related));
  });

  it('repeats no reply with what its caller may no longer read', async () => {
    const carla = await app.caller('carla', NS, ['CREATE'], 'itemsvc:nameduseritem:*');
    const send = () => create([doors({ _name: 'Hidden' })]).set({ ...carla, 'idempotency-key': 'hidden' });
    await send().expect(201);
    await send().expect(201);
    await app.grants.revoke('carla', NS);
    await app.grants.allow('carla', NS, 'itemsvc:nameduseritem:*', ['CREATE']);
    expect((await send().expect(409)).text).not.toContain('Hidden');
  });

  describe('on a connection to the database that breaks', () => {
    let proxy: CuttableProxy;
    let broken: Awaited<ReturnType<TestApp['startInstance']>>;
    beforeAll(async () => {
      proxy = await startCuttableProxy(new URL(app.env.MONGO_URL!));
      const url = new URL(app.env.MONGO_URL!);
      url.host = `127.0.0.1:${proxy.port}`;
      url.searchParams.set('directConnection', 'true');
      broken = await app.startInstance({ MONGO_URL: url.href });
    });
    afterAll(async () => {
      await broken.stop();
      await proxy.close();
    });
    const send = (api: TestApp['api'], name: string) =>
      api
        .post(ITEMS)
        .query({ nsfilter: NS })
        .set({ ...owner, 'idempotency-key': name })
        .send([doors({ _name: name })]);

    it('creates one item when the answer to the commit is lost', async () => {
      proxy.cutAfter('commitTransaction');
      const first = send(broken.api, 'lost').then((response) => response);
      const repeated = await eventually(async () => {
        expect(await named('lost')).toBe(1);
        return send(app.api, 'lost').expect(201);
      });
      proxy.mend();
      const { status, body } = await first;
      expect([201, 503]).toContain(status);
      if (status === 201) expect(body).toEqual(repeated.body);
      expect(repeated.headers['idempotency-replayed']).toBe('true');
      expect(await named('lost')).toBe(1);
    });

    it('answers 503 while the database is away, and creates one item after that', async () => {
      proxy.cut();
      const rejected = await send(broken.api, 'away');
      expect(rejected.status).toBe(503);
      expect(rejected.headers['retry-after']).toBeDefined();
      proxy.mend();
      const repeated = await eventually(() => send(broken.api, 'away').expect(201));
      expect((await send(app.api, 'away').expect(201)).body).toEqual(repeated.body);
      expect(await named('away')).toBe(1);
    });
  });
});
