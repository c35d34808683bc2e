import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { API, startApp } from './start-app.js';
import type { TestApp } from './start-app.js';

const ITEMS = `${API}/nameduseritems`;
const NS = 'tower_a1b2c3d4';

describe('versions of an item', () => {
  let app: TestApp;
  let owner: { authorization: string };

  beforeAll(async () => {
    app = await startApp();
    owner = await app.caller('olga', NS);
  });
  afterAll(() => app.stop());

  const createItem = async () => {
    const item = {
      _name: 'Plan',
      _shortName: 'plan',
      _description: '',
      _namespaces: [NS],
      _userType: 'plan',
      _itemClass: 'NamedUserCollection',
      _version: { _userAttributes: { step: 1 }, _userData: { first: true } },
    };
    const response = await app.api.post(ITEMS).query({ nsfilter: NS }).set(owner).send([item]).expect(201);
    return response.body._list[0];
  };
  const add = (id: string, body: object) =>
    app.api.post(`${ITEMS}/${id}/versions`).query({ nsfilter: NS }).set(owner).send(body);
  const get = (path: string, query: object = {}) =>
    app.api
      .get(`${ITEMS}/${path}`)
      .query({ nsfilter: NS, ...query })
      .set(owner)
      .expect(200);
  const versions = async (id: string, parameters: Record<string, object> = {}) => {
    const texts = Object.entries(parameters).map(([name, json]) => [name, JSON.stringify(json)]);
    return (await get(`${id}/versions`, Object.fromEntries(texts))).body;
  };
  const numbers = (list: { _version: number }[]) => list.map(({ _version }) => _version);

  it('become the tip when they are added', async () => {
    const item = await createItem();
    const added = (await add(item._userItemId, { _userAttributes: { step: 2 }, stray: 1 }).expect(201)).body;
    expect(added).toEqual({
      _id: expect.any(String),
      _userItemDbId: item._id,
      _isTip: true,
      _version: 2,
      _userAttributes: { step: 2 },
      _userData: {},
      _metadata: expect.objectContaining({ _createdById: 'olga' }),
    });
    const after = (await get(item._id)).body;
    expect(after).toEqual({
      ...item,
      _tipId: added._id,
      _tipVersion: 2,
      _nextVersion: 3,
      _versionsCount: 2,
      _versions: [added],
      _metadata: { ...item._metadata, _updatedAt: after._metadata._updatedAt },
    });
  });

  it('are listed newest first; older ones are unchanged', async () => {
    const item = await createItem();
    for (const step of [2, 3, 4]) await add(item._id, { _userAttributes: { step } }).expect(201);
    const page = await versions(item._id);
    expect(page).toMatchObject({ _offset: 0, _pageSize: 25, _total: 4 });
    expect(page._list.map(({ _version, _isTip }: never) => [_version, _isTip])).toEqual([
      [4, true],
      [3, false],
      [2, false],
      [1, false],
    ]);
    expect(page._list[3]).toEqual({ ...item._versions[0], _isTip: false });

    expect(await versions(item._id, { page: { _offset: 1, _pageSize: 2 } })).toMatchObject({ _total: 4 });
    expect(numbers((await versions(item._id, { page: { _offset: 1, _pageSize: 2 } }))._list)).toEqual([3, 2]);
    expect(numbers((await versions(item._id, { sort: { '_userAttributes.step': 1 } }))._list)).toEqual([1, 2, 3, 4]);
    const some = await versions(item._id, { query: { '_userAttributes.step': { $lt: 3 } }, page: { _pageSize: 1 } });
    expect([numbers(some._list), some._total]).toEqual([[2], 2]);
    expect((await versions(item._id, { project: { _version: 1, _id: 0 } }))._list[0]).toEqual({ _version: 4 });
    expect((await versions(item._id, { query: { _namespaces: NS } }))._total).toBe(0);
    expect(await versions(item._id, { page: { _pageSize: 0 } })).toMatchObject({ _total: 4, _list: [] });
  });

  it('are shown with their item on demand', async () => {
    const item = await createItem();
    const added: { _id: string }[] = [];
    for (const step of [2, 3]) added.push((await add(item._id, { _userAttributes: { step } })).body);
    const shown = async (query: object) => numbers((await get(item._id, query)).body._versions);
    expect(await shown({})).toEqual([3]);
    expect(await shown({ '_versions.all': true })).toEqual([3, 2, 1]);
    expect(await shown({ '_versions.all': false })).toEqual([3]);
    expect(await shown({ versions: '1,3' })).toEqual([3, 1]);
    expect(await shown({ versions: `1,${added[0]!._id}` })).toEqual([2, 1]);
    expect(await shown({ versions: '99' })).toEqual([]);
  });

  it('are found in lists by userItemVersionId', async () => {
    const item = await createItem();
    const added = (await add(item._id, { _userAttributes: { step: 2 } }).expect(201)).body;
    const list = async (query: object) => (await get('', query)).body;
    const older = await list({ userItemVersionId: item._tipId });
    expect(older).toMatchObject({ _total: 1, _list: [{ _id: item._id, _tipId: added._id }] });
    expect(older._list[0]._versions).toEqual([{ ...item._versions[0], _isTip: false }]);
    expect((await list({ userItemVersionId: added._id }))._list[0]._versions).toEqual([added]);
    const project = JSON.stringify({ _id: 0, '_versions._version': 1 });
    expect((await list({ userItemVersionId: item._tipId, project }))._list).toEqual([{ _versions: [{ _version: 1 }] }]);
    expect(await list({ userItemVersionId: item._tipId, query: '{"_userType":"x"}' })).toMatchObject({ _total: 0 });
    expect(await list({ userItemVersionId: 'unknown' })).toMatchObject({ _total: 0, _list: [] });
    expect((await get(`${item._id}/versions`, { userItemVersionId: item._tipId })).body).toMatchObject({
      _total: 1,
      _list: [{ _version: 1 }],
    });
  });

  it('get distinct numbers when several are added at once', async () => {
    const item = await createItem();
    const responses = await Promise.all([1, 2, 3, 4, 5].map((step) => add(item._id, { _userAttributes: { step } })));
    expect(responses.map(({ status }) => status)).toEqual([201, 201, 201, 201, 201]);
    expect(new Set(numbers(responses.map(({ body }) => body)))).toEqual(new Set([2, 3, 4, 5, 6]));
    expect(numbers((await versions(item._id))._list)).toEqual([6, 5, 4, 3, 2, 1]);
  });

  it('need an item, and objects', async () => {
    const item = await createItem();
    await add('6b01e9fb590ff35d0952a9ce', {}).expect(404);
    await add(item._id, { _userAttributes: 1 }).expect(400);
    await add(item._id, []).expect(400);
    await app.api.get(`${ITEMS}/plan_unknown/versions`).query({ nsfilter: NS }).set(owner).expect(404);
  });
});
