import { afterEach, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { doors, itemClient } from './item-client.js';
import type { Shown } from './item-client.js';
import { NS, openApp, OTHER } from './start-app.js';
import type { Caller } from './start-app.js';

const EVERY_ITEM = 'itemsvc:nameduseritem:*';

const here = await openApp(NS);
const { app, owner } = here;
const { send, create, createOne, put, rows, addRows, addVersion } = itemClient(here);
const [door, window]: [Shown, Shown] = [
  await createOne({ _userType: 'door' }),
  await createOne({ _userType: 'window' }),
];

const get = (by: Caller, path: string, query: object = {}) => send('get', path, query, by);
const remove = (by: Caller, id: string) => send('delete', `/${id}`, {}, by);
const change = (by: Caller, id: string, _userType: string, _namespaces = [NS]) =>
  put(id, { _userType, _namespaces }, {}, by);
const createDoor = async (by: Caller): Promise<Shown> =>
  (
    await create([doors({ _userType: 'door' })])
      .set(by)
      .expect(201)
  ).body._list[0];
const listOf = async (by: Caller, query: object = {}) => (await get(by, '', query).expect(200)).body;
const idsIn = ({ _list }: { _list: { _id: string }[] }) => _list.map(({ _id }) => _id);

describe('permissions on items', () => {
  afterEach(() => void jest.restoreAllMocks());

  it('limit a list to individually shared items, whatever its query', async () => {
    const item = await createOne();
    await createOne();
    const guest = await app.caller('gus', NS, ['READ'], item._irn);
    const any = ['{}', '{"$or":[{},{"_name":"Doors"}]}', '{"_versions.all":true,"_versions._version":{"$gte":0}}'];
    for (const query of any)
      expect(await listOf(guest, { query })).toMatchObject({ _total: 1, _list: [{ _id: item._id }] });
  });

  it('give the creator of an item all actions on it, and on no other', async () => {
    const other = await createOne();
    const maker = await app.caller('mara', NS, ['CREATE'], EVERY_ITEM);
    const own = await createDoor(maker);
    expect(idsIn(await listOf(maker))).toEqual([own._id]);
    await get(maker, `/${other._id}`).expect(404);
    await put(own._id, {}, {}, maker).expect(204);
    await remove(maker, own._id).expect(204);
  });

  it('are not read for a request with too many namespaces', async () => {
    const grantsOf = jest.spyOn(app.grants, 'grantsOf');
    const flood = Array.from({ length: 100 }, (_, n) => `flood_${n}`);
    const rejected = async (drafts: object[], message: string) =>
      expect((await create(drafts).expect(400)).body.errors).toEqual([{ location: 'body', message }]);
    await rejected(Array(51).fill(doors({ _namespaces: flood })), 'must name at most 5000 namespaces in total');
    const drafts = flood.map((namespace) => doors({ _namespaces: [NS, namespace] }));
    await rejected(drafts, 'must name at most 100 different namespaces');
    expect(grantsOf).not.toHaveBeenCalledWith(expect.anything(), expect.stringContaining('flood'));
  });

  it('are granted in one call for all items of a request', async () => {
    const writer = await app.caller('wanda', NS, ['CREATE', 'READ']);
    const grant = jest.spyOn(app.grants, 'grant');
    const drafts = Array.from({ length: 30 }, () => doors());
    const { body } = await create(drafts).set(writer).expect(201);
    expect(grant).toHaveBeenCalledTimes(1);
    await remove(writer, body._list[29]._id).expect(204);
  });
});

describe('a permission on items with criteria', () => {
  const doorsOnly = { _irn: EVERY_ITEM, _criteria: { _userType: 'door' } };

  it('hides other items, in lists and by id', async () => {
    const reader = await app.holder('rita', ['READ'], doorsOnly);
    const { _list, _total } = await listOf(reader, { page: '{"_pageSize":1000}' });
    expect(await listOf(owner, { query: '{"_userType":"door"}' })).toMatchObject({ _list, _total });
    expect(_list).toMatchObject([{ _id: door._id }]);
    expect(await listOf(reader, { page: '{"_pageSize":1,"_offset":1}' })).toMatchObject({ _total: 1, _list: [] });
    await get(reader, `/${door._id}`).expect(200);
    await get(reader, `/${window._id}`).expect(404);
    await get(reader, `/${window._id}/versions`).expect(404);
    await remove(reader, window._id).expect(404);
  });

  it('hides other items from queries on older versions', async () => {
    const reader = await app.holder('ron', ['READ'], doorsOnly);
    for (const { _id } of [door, window])
      for (const state of ['old', 'new']) await addVersion(_id, { _userAttributes: { state } });
    const query = { query: '{"_versions._userAttributes.state":"old","_versions.all":true}' };
    expect(idsIn(await listOf(owner, query))).toEqual(expect.arrayContaining([door._id, window._id]));
    expect(idsIn(await listOf(reader, query))).toEqual([door._id]);
  });

  it('on one item shows that item only, while it matches', async () => {
    const _irn = `itemsvc:nameduseritem:${window._id}`;
    const reader = await app.holder('ruth', ['READ'], { _irn, _criteria: { _userType: 'door' } });
    expect(idsIn(await listOf(reader))).toEqual([]);
    await change(owner, window._id, 'door').expect(204);
    expect(idsIn(await listOf(reader))).toEqual([window._id]);
    await change(owner, window._id, 'window').expect(204);
  });

  it('allows creating matching items only, which the creator owns even if they no longer match', async () => {
    const builder = await app.holder('bill', ['READ', 'CREATE'], doorsOnly);
    const [matching, other] = [doors({ _userType: 'door' }), doors({ _userType: 'window' })];
    await create([other]).set(builder).expect(403);
    await create([matching, other]).set(builder).expect(403);
    const { _id } = await createDoor(builder);
    await change(owner, _id, 'window').expect(204);
    await remove(builder, _id).expect(204);
  });

  it('allows a change only if the item matches before and after it', async () => {
    const editor = await app.holder('edda', ['READ', 'EDIT'], doorsOnly);
    await change(editor, door._id, 'window').expect(403);
    await change(editor, window._id, 'door').expect(404);
    await change(editor, door._id, 'door').expect(204);
  });

  it('allows moving an item only if the other namespace does, too', async () => {
    const editor = await app.holder('emil', ['*'], doorsOnly);
    const { _id } = await createDoor(editor);
    await change(editor, _id, 'door', [NS, OTHER]).expect(403);
    await app.grants.grant([
      { _namespace: OTHER, _resourceDesc: doorsOnly, _user: { _type: 'user', _id: 'emil' }, _actions: ['CREATE'] },
    ]);
    await change(editor, _id, 'door', [NS, OTHER]).expect(204);
    await remove(editor, _id).expect(204);
  });
});

describe('a permission on related items with criteria', () => {
  const path = `/${door._id}/relateditems`;
  const redOnly = {
    _irn: `itemsvc:nameduseritem:${door._id}`,
    _subresourceDesc: { _type: 'relateditem' as const, _criteria: { color: 'red' } },
  };
  const colors = async (by: Caller, query: object = {}) => {
    const { body } = await rows(door._id, {}, query, by).expect(200);
    expect(body._total).toBe(body._list.length);
    return body._list.map(({ color }: { color: unknown }) => color);
  };

  beforeAll(() => addRows(door._id, [{ color: 'red' }, { color: 'blue' }, { color: ['red', 'blue'] }, { n: 1 }]));

  it('shows matching ones, and neither others nor the collection', async () => {
    const reader = await app.holder('sara', ['READ'], redOnly);
    expect(await colors(reader)).toEqual(['red', ['red', 'blue']]);
    expect(await colors(reader, { query: '{"color":"blue"}' })).toEqual([['red', 'blue']]);
    await get(reader, `/${door._id}`).expect(404);
    expect(await listOf(reader)).toMatchObject({ _list: [] });
    await rows(window._id, {}, {}, reader).expect(404);
  });

  it('does not make a collection visible to searches', async () => {
    const search = { $findInCollections: { collectionDesc: { _id: { $in: [door._id, window._id] } } } };
    const found = async (by: Caller) => (await send('post', '/search', {}, by).send(search).expect(200)).body._list;
    expect(await found(await app.holder('saul', ['READ'], redOnly))).toEqual([]);
    const ofDoors = { _irn: EVERY_ITEM, _criteria: { _userType: 'door' } };
    const [only, ...others] = await found(await app.holder('dora', ['READ'], ofDoors));
    expect([only._id, others]).toEqual([door._id, []]);
    expect(only._versions[0]._relatedItems._total).toBeGreaterThan(0);
    expect(await found(owner)).toHaveLength(2);
  });

  it('allows adding matching ones only, all or none', async () => {
    const adder = await app.holder('adam', ['CREATE', 'READ'], redOnly);
    const add = (...body: object[]) => send('post', path, {}, adder).send(body);
    await add({ color: 'blue' }).expect(403);
    await add({ color: 'red' }, { color: 'blue' }).expect(403);
    await add({ color: 'red', by: 'adam' }).expect(201);
    expect(await colors(owner, { query: '{"by":"adam"}' })).toEqual(['red']);
  });

  it('covers all related items of matching collections if only the collection has criteria', async () => {
    const _subresourceDesc = { _type: 'relateditem' as const };
    const description = { _irn: EVERY_ITEM, _criteria: { _userType: 'door' }, _subresourceDesc };
    const reader = await app.holder('tina', ['READ'], description);
    expect(await colors(reader)).toEqual(await colors(owner));
    await get(reader, `/${door._id}`).expect(404);
    await rows(window._id, {}, {}, reader).expect(404);
  });

  it('covers a replacement only if it matches before and after, and deleting if it matches', async () => {
    const { _id } = await createOne();
    const [red, blue]: [Shown, Shown] = await addRows(_id, [{ color: 'red' }, { color: 'blue' }]);
    const description = { ...redOnly, _irn: `itemsvc:nameduseritem:${_id}` };
    const reader = await app.holder('rosa', ['READ'], description);
    const editor = await app.holder('egon', ['READ', 'EDIT', 'DELETE'], description);
    const call = (method: 'get' | 'put' | 'delete', row: Shown, by: Caller) =>
      send(method, `/${_id}/relateditems/${row._id}`, {}, by);

    await call('get', red, reader).expect(200);
    await call('get', blue, reader).expect(404);
    await call('put', red, reader).send({ color: 'red' }).expect(403);
    await call('delete', red, reader).expect(403);

    await call('put', blue, editor).send({ color: 'red' }).expect(404);
    await call('delete', blue, editor).expect(404);
    await call('put', red, editor).send({ color: 'blue' }).expect(403);
    await call('put', red, editor).send({ color: 'red', n: 1 }).expect(200);
    await call('delete', red, editor).expect(204);
    expect((await rows(_id)).body._list).toMatchObject([{ color: 'blue' }]);
  });
});
