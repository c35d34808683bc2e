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

describe('a request with an idempotency key', () => {
  it('creates everything once, and repeats even long responses', async () => {
    const text = 'x'.repeat(70_000);
    const count = (name: string, filter: object) => app.stored(name).countDocuments(filter);
    const _userType = 'x'.repeat(1000);
    const drafts = [doors({ _name: 'Once', _userType, _version: { _userData: { text } } }), doors()];
    const { body } = await sendTwice(() => create(drafts));
    expect(await named('Once')).toBe(1);
    const [{ _id: id }] = body._list;
    await sendTwice(() => post(`/${id}/versions`, { _userData: { text } }));
    expect(await count('item_versions', { _userItemDbId: id })).toBe(1);
    await sendTwice(() => post(`/${id}/relateditems`, [{ text, password: 'p' }, { row: 2 }]));
    await sendTwice(() => post(`/${id}/relateditems/bulk`, [{ text }]));
    expect(await count('related_items', { '_platform.itemId': id })).toBe(3);
    const { _id: owning } = await createOne({ _itemClass: 'NamedCompositeItem', _version: { _userAttributes: {} } });
    const related = Array(70).fill({ _itemId: id });
    await sendTwice(() => post(`/${owning}/relatedcollections`, related));
    expect(await count('related_collections', { _itemId: id })).toBe(70);
    const config = configDraft();
    await sendTwice(() => sendConfig('post', CONFIGS).send(config));
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

  it('creates one item if the reply to the commit is lost', async () => {
    const lost = (api: Here['app']['api']) =>
      itemClient({ app: { ...app, api }, owner })
        .create([doors({ _name: 'lost' })])
        .set('idempotency-key', 'lost');
    proxy.cutAfter('commitTransaction');
    const first = lost(broken.api).then((response) => response);
    const repeated = await eventually(async () => {
      expect(await named('lost')).toBe(1);
      return lost(app.api).expect(201);
    });
    proxy.mend();
    const { status, body } = await first;
    expect([201, 503]).toContain(status);
    if (status === 201) expect(body).toEqual(repeated.body);
    expect(repeated.headers['idempotency-replayed']).toBe('true');
    expect(await named('lost')).toBe(1);
  });
});
