import { afterAll, describe, expect, it } from '@jest/globals';
import { eventually, sendTwice, startCuttableProxy } from '@dtplatform/testing';
import { doors, itemClient } from './item-client.js';
import { NS, openApp } from './start-app.js';
import type { Here } from './start-app.js';
import { configDraft, CONFIGS, telemetryClient } from './telemetry-client.js';

const here = await openApp(NS);
const { app, owner } = here;
const { create, createOne, send } = itemClient(here);
const { send: sendConfig } = telemetryClient(here);
const url = new URL(app.env.MONGO_URL!);
const proxy = await startCuttableProxy(new URL(url));
url.host = `127.0.0.1:${proxy.port}`;
url.searchParams.set('directConnection', 'true');
const broken = await app.startInstance({ MONGO_URL: url.href });
afterAll(() => proxy.close());

const named = (_name: string) => app.stored('items').countDocuments({ _name });
const post = (path: string, body: unknown) => send('post', path).send(body as object);
const composite = () => createOne({ _itemClass: 'NamedCompositeItem', _version: { _userAttributes: {} } });

describe('a request with an idempotency key', () => {
  it('creates items, versions, related items, related collections and telemetry configurations once', async () => {
    await sendTwice(() => create([doors({ _name: 'Once' })]));
    expect(await named('Once')).toBe(1);

    const item = await createOne();
    await sendTwice(() => post(`/${item._id}/versions`, { _userAttributes: { a: 1 }, _userData: {} }));
    expect(await app.stored('item_versions').countDocuments({ _userItemDbId: item._id })).toBe(1);
    const owning = await composite();
    await sendTwice(() => post(`/${owning._id}/relatedcollections`, [{ _itemId: item._id }]));
    expect(await app.stored('related_collections').countDocuments({ _itemId: item._id })).toBe(1);
    await sendTwice(() => post(`/${item._id}/relateditems`, [{ row: 1 }]));
    expect(await app.stored('related_items').countDocuments({ '_platform.itemId': item._id })).toBe(1);

    const config = configDraft();
    await sendTwice(() => sendConfig('post', CONFIGS).send(config));
  });

  it('repeats long responses', async () => {
    const text = 'x'.repeat(70_000);
    const { body } = await sendTwice(() => create([doors({ _version: { _userData: { text } } }), doors()]));
    const [{ _id: id }] = body._list;
    await sendTwice(() => post(`/${id}/versions`, { _userData: { text } }));
    await sendTwice(() => post(`/${id}/relateditems`, [{ text, password: 'p' }, { row: 2 }]));
    await sendTwice(() => post(`/${id}/relateditems/bulk`, [{ text }]));
    const owning = await composite();
    const related = Array.from({ length: 300 }, () => ({ _itemId: id }));
    await sendTwice(() => post(`/${owning._id}/relatedcollections`, related));
  });

  it('does not repeat a response that its caller may no longer read', async () => {
    const carla = await app.caller('carla', NS, ['CREATE'], 'itemsvc:nameduseritem:*');
    const send = () => create([doors({ _name: 'Hidden' })]).set({ ...carla, 'idempotency-key': 'hidden' });
    await send().expect(201);
    await send().expect(201);
    await app.grants.revoke('carla', NS);
    await app.grants.allow('carla', NS, 'itemsvc:nameduseritem:*', ['CREATE']);
    expect((await send().expect(409)).text).not.toContain('Hidden');
  });

  describe('when the connection to MongoDB breaks', () => {
    const send = (api: Here['app']['api'], name: string) =>
      itemClient({ app: { ...app, api }, owner })
        .create([doors({ _name: name })])
        .set('idempotency-key', name);

    it('creates one item if the reply to the commit is lost', async () => {
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

    it('gets a 503, and creates one item when it is retried', async () => {
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
