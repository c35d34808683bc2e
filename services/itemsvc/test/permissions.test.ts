import { afterEach, describe, expect, it, jest } from '@jest/globals';
import { doors, itemClient } from './item-client.js';
import { NS, openApp } from './start-app.js';
import type { Caller } from './start-app.js';

const ITEM_TYPE = 'itemsvc:nameduseritem:*';

const here = await openApp(NS);
const { app } = here;
const { create, createOne, send, put } = itemClient(here);

const itemOf = async (by: Caller) => (await create([doors()]).set(by).expect(201)).body._list[0];
const list = async (by: Caller, query: object = {}) => (await send('get', '', query, by).expect(200)).body;
const idsIn = ({ _list }: { _list: { _id: string }[] }) => _list.map(({ _id }) => _id);

afterEach(() => void jest.restoreAllMocks());

describe('permissions on items', () => {
  it('limit a list to individually shared items, whatever its query', async () => {
    const item = await createOne();
    await createOne();
    const guest = await app.caller('gus', NS, ['READ'], item._irn);
    expect(await list(guest)).toMatchObject({ _total: 1, _list: [{ _id: item._id }] });
    for (const query of [
      '{"$or":[{},{"_name":"Doors"}]}',
      '{"_name":{"$exists":true}}',
      '{"_versions.all":true}',
      '{"_versions.all":true,"_itemClass":"NamedUserCollection"}',
      '{"_versions.all":true,"_versions._version":{"$gte":0}}',
    ]) {
      expect(idsIn(await list(guest, { query }))).toEqual([item._id]);
    }
  });

  it('give the creator of an item all actions on it, and on no other', async () => {
    const other = await createOne();
    const maker = await app.caller('mara', NS, ['CREATE'], ITEM_TYPE);
    const own = await itemOf(maker);
    expect(idsIn(await list(maker))).toEqual([own._id]);
    await send('get', `/${other._id}`, {}, maker).expect(404);
    await send('get', `/${own._id}`, {}, maker).expect(200);
    await put(own._id, {}, {}, maker).expect(204);
    await send('delete', `/${own._id}`, {}, maker).expect(204);
  });

  it('do not apply to trusted clients', async () => {
    const trusted = { authorization: await app.as('platform', 'trusted') };
    await send('get', `/${(await createOne())._id}`, {}, trusted).expect(200);
  });

  it('are checked in at most 5000 namespaces per request', async () => {
    const _namespaces = Array.from({ length: 100 }, (_, n) => `flood_${n}`);
    const response = await create(Array.from({ length: 51 }, () => doors({ _namespaces }))).expect(400);
    expect(response.body.errors).toEqual([{ location: 'body', message: 'must name at most 5000 namespaces in all' }]);
  });

  it('are not read for a request with more than 100 different namespaces', async () => {
    const namespaces = Array.from({ length: 100 }, (_, n) => `flood_${n}`);
    const grantsOf = jest.spyOn(app.grants, 'grantsOf');
    const drafts = namespaces.map((namespace) => doors({ _namespaces: [NS, namespace] }));
    const response = await create(drafts).expect(400);
    expect(response.body.errors).toEqual([{ location: 'body', message: 'must name at most 100 different namespaces' }]);
    expect(grantsOf).not.toHaveBeenCalledWith(expect.anything(), expect.stringContaining('flood'));
  });

  it('are granted in one call for all items of a request', async () => {
    const writer = await app.caller('wanda', NS, ['CREATE', 'READ']);
    const grant = jest.spyOn(app.grants, 'grant');
    const { body } = await create(Array.from({ length: 30 }, () => doors()))
      .set(writer)
      .expect(201);
    expect(grant).toHaveBeenCalledTimes(1);
    await send('delete', `/${body._list[29]._id}`, {}, writer).expect(204);
  });
});
