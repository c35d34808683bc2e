import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { API, startApp } from './start-app.js';
import type { TestApp } from './start-app.js';

const ITEMS = `${API}/nameduseritems`;
const NS = 'tower_a1b2c3d4';
const ITEM_TYPE = 'itemsvc:nameduseritem:*';

type Caller = { authorization: string };

describe('permissions on items', () => {
  let app: TestApp;
  let owner: Caller;
  let item: { _id: string; _irn: string };

  const draft = (more: object = {}) => ({
    _name: 'Doors',
    _shortName: 'doors',
    _description: '',
    _namespaces: [NS],
    _userType: 'doors',
    _itemClass: 'NamedUserCollection',
    ...more,
  });
  const create = (caller: Caller, more: object = {}, nsfilter = NS) =>
    app.api
      .post(ITEMS)
      .query({ nsfilter })
      .set(caller)
      .send([draft(more)]);
  const createMany = (caller: Caller, bodies: object[]) =>
    app.api.post(ITEMS).query({ nsfilter: NS }).set(caller).send(bodies);
  const list = (caller: Caller, nsfilter = NS) => app.api.get(ITEMS).query({ nsfilter }).set(caller).expect(200);

  /** Every call on the item, by what it needs. */
  const calls = (caller: Caller, id = item._id, nsfilter = NS) => ({
    get: () => app.api.get(`${ITEMS}/${id}`).query({ nsfilter }).set(caller),
    versions: () => app.api.get(`${ITEMS}/${id}/versions`).query({ nsfilter }).set(caller),
    related: () => app.api.get(`${ITEMS}/${id}/relateditems`).query({ nsfilter }).set(caller),
    put: () =>
      app.api
        .put(`${ITEMS}/${id}`)
        .query({ nsfilter })
        .set(caller)
        .send({ _name: 'n', _description: '', _namespaces: [NS], _userType: 'u' }),
    addVersion: () => app.api.post(`${ITEMS}/${id}/versions`).query({ nsfilter }).set(caller).send({}),
    addRelated: () =>
      app.api
        .post(`${ITEMS}/${id}/relateditems`)
        .query({ nsfilter })
        .set(caller)
        .send([{ a: 1 }]),
    remove: () => app.api.delete(`${ITEMS}/${id}`).query({ nsfilter }).set(caller),
  });
  const statuses = async (some: Record<string, () => PromiseLike<{ status: number }>>) => {
    const result: Record<string, number> = {};
    for (const [name, call] of Object.entries(some)) result[name] = (await call()).status;
    return result;
  };
  const allAre = (status: number) =>
    Object.fromEntries(
      ['get', 'versions', 'related', 'put', 'addVersion', 'addRelated', 'remove'].map((name) => [name, status]),
    );

  beforeAll(async () => {
    app = await startApp();
    owner = await app.caller('olga', NS);
    item = (await create(owner).expect(201)).body._list[0];
  });
  afterAll(() => app.stop());

  it('let an editor edit, and whoever may create add rows', async () => {
    const editor = await app.caller('edda', NS, ['READ', 'EDIT'], ITEM_TYPE);
    expect(await statuses(calls(editor))).toEqual({
      ...allAre(403),
      get: 200,
      versions: 200,
      related: 200,
      put: 204,
      addVersion: 201,
    });
    const adder = await app.caller('adam', NS, ['READ', 'CREATE'], ITEM_TYPE);
    expect(await statuses({ addRelated: calls(adder).addRelated })).toEqual({ addRelated: 201 });
  });

  it('narrow a list to the items that were shared individually', async () => {
    await create(owner).expect(201);
    const guest = await app.caller('gus', NS, ['READ'], item._irn);
    const response = await list(guest);
    expect(response.body).toMatchObject({ _total: 1, _list: [{ _id: item._id }] });
    for (const query of [
      '{"$or":[{},{"_name":"Doors"}]}',
      '{"_name":{"$exists":true}}',
      '{"_versions.all":true}',
      '{"_versions.all":true,"_itemClass":"NamedUserCollection"}',
      '{"_versions.all":true,"_versions._version":{"$gte":0}}',
    ]) {
      const asked = await app.api.get(ITEMS).query({ nsfilter: NS, query }).set(guest).expect(200);
      expect(asked.body._list.map(({ _id }: { _id: string }) => _id)).toEqual([item._id]);
    }
  });

  it('end as soon as they are revoked', async () => {
    const guest = await app.caller('ines', NS, ['READ'], ITEM_TYPE);
    await calls(guest).get().expect(200);
    await app.grants.revoke('ines', NS);
    expect(await statuses(calls(guest))).toEqual(allAre(404));
    expect((await list(guest)).body).toMatchObject({ _total: 0, _list: [] });
  });

  it('give the creator of an item all actions on it, and on no other', async () => {
    const maker = await app.caller('mara', NS, ['CREATE'], ITEM_TYPE);
    const own = (await create(maker).expect(201)).body._list[0];
    expect((await list(maker)).body).toMatchObject({ _total: 1, _list: [{ _id: own._id }] });
    expect(
      await statuses({ get: calls(maker).get, getOwn: calls(maker, own._id).get, put: calls(maker, own._id).put }),
    ).toEqual({
      get: 404,
      getOwn: 200,
      put: 204,
    });
    await calls(maker, own._id).remove().expect(204);
  });

  it('do not bind trusted clients, and give administrators nothing', async () => {
    const trusted = { authorization: await app.as('platform', 'trusted') };
    const admin = { authorization: await app.as('ada', 'admin') };
    await calls(trusted).get().expect(200);
    await calls(admin).get().expect(404);
    expect((await list(admin)).body._total).toBe(0);
  });

  it('name at most 5000 namespaces in all items of a request', async () => {
    const namespaces = Array.from({ length: 100 }, (_, n) => `flood_${n}`);
    const drafts = Array.from({ length: 51 }, () => draft({ _namespaces: namespaces }));
    const response = await createMany(owner, drafts).expect(400);
    expect(response.body.errors).toEqual([{ location: 'body', message: 'must name at most 5000 namespaces in all' }]);
  });

  it('are asked about in at most 100 namespaces for all items of a request', async () => {
    const namespaces = Array.from({ length: 100 }, (_, n) => `flood_${n}`);
    const grantsOf = jest.spyOn(app.grants, 'grantsOf');
    try {
      const response = await createMany(
        owner,
        namespaces.map((namespace) => draft({ _namespaces: [NS, namespace] })),
      ).expect(400);
      expect(response.body.errors).toEqual([
        { location: 'body', message: 'must name at most 100 different namespaces' },
      ]);
      expect(grantsOf).not.toHaveBeenCalledWith(expect.anything(), expect.stringContaining('flood'));
    } finally {
      grantsOf.mockRestore();
    }
  });

  it('are granted in one call for all items of a request', async () => {
    const writer = await app.caller('wanda', NS, ['CREATE', 'READ']);
    const grant = jest.spyOn(app.grants, 'grant');
    try {
      const { body } = await createMany(
        writer,
        Array.from({ length: 30 }, () => draft()),
      ).expect(201);
      expect(grant).toHaveBeenCalledTimes(1);
      await app.api.delete(`${ITEMS}/${body._list[29]._id}`).query({ nsfilter: NS }).set(writer).expect(204);
    } finally {
      grant.mockRestore();
    }
  });
});
