import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { PermissionEntry } from '@dtplatform/contracts';
import { doors, ITEMS, NS, OTHER } from './item-client.js';
import { startApp } from './start-app.js';
import type { TestApp } from './start-app.js';

type Caller = { authorization: string };
interface Found {
  _id: string;
  _versions: [{ _relatedItems: { _total: number } }];
}
const EVERY_ITEM = 'itemsvc:nameduseritem:*';

let app: TestApp;
let owner: Caller;
let door: { _id: string };
let window: { _id: string };

/** A caller who holds actions on what a description names, and nothing else. */
async function holder(
  id: string,
  actions: PermissionEntry['_actions'],
  _resourceDesc: PermissionEntry['_resourceDesc'],
): Promise<Caller> {
  await app.grants.grant([{ _namespace: NS, _resourceDesc, _user: { _type: 'user', _id: id }, _actions: actions }]);
  return { authorization: await app.as(id) };
}
const send = (caller: Caller, method: 'get' | 'post' | 'put' | 'delete', path = '', query: object = {}) =>
  app.api[method](`${ITEMS}${path}`)
    .query({ nsfilter: NS, ...query })
    .set(caller);
const create = (caller: Caller, ...items: object[]) => send(caller, 'post').send(items);
const change = (caller: Caller, id: string, _userType: string, _namespaces = [NS]) =>
  send(caller, 'put', `/${id}`).send({ _name: 'n', _description: '', _namespaces, _userType });
const created = async (caller: Caller, more: object) => (await create(caller, doors(more)).expect(201)).body._list[0];

beforeAll(async () => {
  app = await startApp();
  owner = await app.caller('olga', NS);
  [door, window] = [await created(owner, { _userType: 'door' }), await created(owner, { _userType: 'window' })];
});
afterAll(() => app.stop());

describe('a permission on items that match criteria', () => {
  const doorsOnly = { _irn: EVERY_ITEM, _criteria: { _userType: 'door' } };

  it('shows those and hides the others, in lists and alone', async () => {
    const reader = await holder('rita', ['READ'], doorsOnly);
    const { body } = await send(reader, 'get', '', { page: '{"_pageSize":1000}' }).expect(200);
    const { body: all } = await send(owner, 'get', '', { query: '{"_userType":"door"}' }).expect(200);
    expect(body._list).toEqual(all._list);
    expect(body._total).toBe(all._total);
    expect(body._list).toMatchObject([{ _id: door._id }]);
    await send(reader, 'get', `/${door._id}`).expect(200);
    await send(reader, 'get', `/${window._id}`).expect(404);
    await send(reader, 'get', `/${window._id}/versions`).expect(404);
    await send(reader, 'delete', `/${door._id}`).expect(403);
    await send(reader, 'delete', `/${window._id}`).expect(404);
  });

  it('counts the pages of what it shows', async () => {
    const reader = await holder('rosa', ['READ'], doorsOnly);
    const { body } = await send(reader, 'get', '', { page: '{"_pageSize":1,"_offset":1}' }).expect(200);
    expect(body).toMatchObject({ _total: 1, _list: [] });
  });

  it('finds them by older versions, and no others', async () => {
    const reader = await holder('ron', ['READ'], doorsOnly);
    for (const { _id } of [door, window]) {
      await send(owner, 'post', `/${_id}/versions`)
        .send({ _userAttributes: { state: 'old' } })
        .expect(201);
      await send(owner, 'post', `/${_id}/versions`)
        .send({ _userAttributes: { state: 'new' } })
        .expect(201);
    }
    const query = { query: '{"_versions._userAttributes.state":"old","_versions.all":true}' };
    const ids = ({ body }: { body: { _list: { _id: string }[] } }) => body._list.map(({ _id }) => _id);
    const everything = ids(await send(owner, 'get', '', query).expect(200));
    expect(everything).toEqual(expect.arrayContaining([door._id, window._id]));
    expect(ids(await send(reader, 'get', '', query).expect(200))).toEqual([door._id]);
  });

  it('needs all of several fields to match', async () => {
    const reader = await holder('rolf', ['READ'], {
      _irn: EVERY_ITEM,
      _criteria: { _itemClass: 'NamedFileCollection', _userType: 'door' },
    });
    await send(reader, 'get', `/${door._id}`).expect(404);
    const { _id } = await created(owner, { _userType: 'door', _itemClass: 'NamedFileCollection' });
    await send(reader, 'get', `/${_id}`).expect(200);
    await send(owner, 'delete', `/${_id}`).expect(204);
  });

  it('on one item alone does not show others that match', async () => {
    const reader = await holder('ruth', ['READ'], {
      _irn: `itemsvc:nameduseritem:${window._id}`,
      _criteria: { _userType: 'door' },
    });
    expect((await send(reader, 'get').expect(200)).body._list).toEqual([]);
    await change(owner, window._id, 'door').expect(204);
    expect((await send(reader, 'get').expect(200)).body._list).toMatchObject([{ _id: window._id }]);
    await change(owner, window._id, 'window').expect(204);
  });

  it('creates such items only', async () => {
    const builder = await holder('bill', ['READ', 'CREATE'], doorsOnly);
    await create(builder, doors({ _userType: 'window' })).expect(403);
    await create(builder, doors({ _userType: 'door' }), doors({ _userType: 'window' })).expect(403);
    const { _id } = await created(builder, { _userType: 'door' });
    await send(builder, 'delete', `/${_id}`).expect(204);
  });

  it('makes their creator the owner, whatever they become', async () => {
    const builder = await holder('berta', ['*'], doorsOnly);
    const { _id } = await created(builder, { _userType: 'door' });
    await change(owner, _id, 'window').expect(204);
    await send(builder, 'delete', `/${_id}`).expect(204);
  });

  it('neither turns an item into one that it does not cover, nor the other way round', async () => {
    const editor = await holder('edda', ['READ', 'EDIT'], doorsOnly);
    await change(editor, door._id, 'window').expect(403);
    await change(editor, window._id, 'door').expect(404);
    await change(editor, door._id, 'door').expect(204);
  });

  it('moves an item only where the other namespace permits it as well', async () => {
    const editor = await holder('emil', ['*'], doorsOnly);
    const { _id } = await created(editor, { _userType: 'door' });
    await change(editor, _id, 'door', [NS, OTHER]).expect(403);
    await app.grants.grant([
      { _namespace: OTHER, _resourceDesc: doorsOnly, _user: { _type: 'user', _id: 'emil' }, _actions: ['CREATE'] },
    ]);
    await change(editor, _id, 'door', [NS, OTHER]).expect(204);
    await send(editor, 'delete', `/${_id}`).expect(204);
  });
});

describe('a permission on related items that match criteria', () => {
  const path = () => `/${door._id}/relateditems`;
  const redOnly = () => ({
    _irn: `itemsvc:nameduseritem:${door._id}`,
    _subresourceDesc: { _type: 'relateditem' as const, _criteria: { color: 'red' } },
  });
  const colors = async (caller: Caller, query: object = {}) => {
    const { body } = await send(caller, 'get', path(), query).expect(200);
    expect(body._total).toBe(body._list.length);
    return body._list.map(({ color }: { color: unknown }) => color);
  };

  beforeAll(async () => {
    const rows = [{ color: 'red' }, { color: 'blue' }, { color: ['red', 'blue'] }, { n: 1 }];
    await send(owner, 'post', path()).send(rows).expect(201);
  });

  it('shows those, and neither the collection nor the others', async () => {
    const reader = await holder('sara', ['READ'], redOnly());
    expect(await colors(reader)).toEqual(['red', ['red', 'blue']]);
    expect(await colors(reader, { query: '{"color":"blue"}' })).toEqual([['red', 'blue']]);
    await send(reader, 'get', `/${door._id}`).expect(404);
    expect((await send(reader, 'get').expect(200)).body._list).toEqual([]);
    await send(reader, 'get', `/${window._id}/relateditems`).expect(404);
    await send(reader, 'post', path())
      .send([{ color: 'red' }])
      .expect(403);
  });

  it('is not enough for searches: they find collections as lists do', async () => {
    const search = { $findInCollections: { collectionDesc: { _id: { $in: [door._id, window._id] } } } };
    const found = async (caller: Caller) => {
      const { body } = await send(caller, 'post', '/search').send(search).expect(200);
      return body._list.map(({ _id, _versions: [version] }: Found) => [_id, version._relatedItems._total > 0]);
    };
    expect(await found(await holder('saul', ['READ'], redOnly()))).toEqual([]);
    const doors = await holder('dora', ['READ'], { _irn: EVERY_ITEM, _criteria: { _userType: 'door' } });
    expect(await found(doors)).toEqual([[door._id, true]]);
    expect(await found(owner)).toHaveLength(2);
  });

  it('adds such items only, all or none', async () => {
    const adder = await holder('adam', ['CREATE', 'READ'], redOnly());
    const add = (...rows: object[]) => send(adder, 'post', path()).send(rows);
    await add({ color: 'blue' }).expect(403);
    await add({ color: 'red' }, { color: 'blue' }).expect(403);
    await add({ color: 'red', by: 'adam' }).expect(201);
    expect(await colors(owner, { query: '{"by":"adam"}' })).toEqual(['red']);
  });

  it('without criteria holds for all related items, and only for collections that match its own', async () => {
    const related = { _type: 'relateditem' as const };
    const reader = await holder('tina', ['READ'], {
      _irn: EVERY_ITEM,
      _criteria: { _userType: 'door' },
      _subresourceDesc: related,
    });
    expect(await colors(reader)).toEqual(await colors(owner));
    await send(reader, 'get', `/${door._id}`).expect(404);
    await send(reader, 'get', `/${window._id}/relateditems`).expect(404);
  });
});
