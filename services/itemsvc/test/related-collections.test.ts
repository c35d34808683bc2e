import { describe, expect, it } from '@jest/globals';
import { eventually } from '@dtplatform/testing';
import { itemClient, UNKNOWN } from './item-client.js';
import type { Shown } from './item-client.js';
import { NS, openApp, OTHER } from './start-app.js';
import { sumsBy, usageInOutbox } from './usage-client.js';

type Related = { _id: string; _itemId: string };

const here = await openApp(NS, OTHER);
const { app, owner } = here;
const { send, createOne, put, addVersion } = itemClient(here);
const stored = app.stored('related_collections');

const composite = (): Promise<Shown> =>
  createOne({ _itemClass: 'NamedCompositeItem', _version: { _userAttributes: {} } });
const collection = (more: object = {}): Promise<Shown> => createOne(more);
const pathOf = (item: Shown) => `/${item._id}/relatedcollections`;
const relate = (item: Shown, body: unknown, query: object = {}, by = owner) =>
  send('post', pathOf(item), query, by).send(body as object);
const relateOne = async (item: Shown, to: Shown): Promise<Related> =>
  (await relate(item, [{ _itemId: to._id }]).expect(201)).body._list[0];
const list = (item: Shown, query: object = {}, more: object = {}) =>
  send('get', pathOf(item), { query: JSON.stringify(query), ...more });
const found = async (item: Shown, query: object = {}, more: object = {}) =>
  (await list(item, query, more).expect(200)).body;
const related = async (item: Shown, more: object = {}) =>
  ((await found(item, {}, more))._list as Related[]).map(({ _itemId }) => _itemId);
const end = (item: Shown, id: string, query: object = {}) => send('delete', `${pathOf(item)}/${id}`, query);
/** The recorded counts of an item's relations by namespace. */
const recorded = async ({ _id, _userItemId }: Shown) => {
  const metric = 'dtplatform.itemsvc.NamedCompositeItemRelatedCollectionCount';
  const all = await usageInOutbox(app);
  const own = all.filter(({ _metric, _dimensions }) => _metric === metric && _dimensions.item === _id);
  for (const { _aliases } of own) expect(_aliases).toEqual({ item: _userItemId });
  return sumsBy(own, ({ namespace }) => namespace);
};

describe('related collections of a composite item', () => {
  it('are named by either id, at the tip or at a given version', async () => {
    const item = await composite();
    const rooms = await collection({ _userType: 'rooms' });
    const files = await collection({ _itemClass: 'NamedFileCollection' });
    const second = await addVersion(rooms._id);
    const response = await relate(item, [
      { _itemId: rooms._id, stray: 1 },
      { _userItemId: rooms._userItemId, _userItemVersionId: rooms._tipId },
      { _itemId: files._id, _userItemId: files._userItemId },
    ]).expect(201);
    const common = { _id: expect.any(String), _metadata: expect.objectContaining({ _createdById: 'olga' }) };
    const { _userItemId } = rooms;
    const ofRooms = { ...common, _itemId: rooms._id, _userItemId, _userType: 'rooms' };
    const _userItemClass = 'NamedUserCollection';
    expect(response.body).toEqual({
      ...{ _offset: 0, _pageSize: 3, _total: 3, _failures: [] },
      _list: [
        { ...ofRooms, _userItemClass, _userItemVersion: 2, _userItemVersionId: second._id },
        { ...ofRooms, _userItemClass, _userItemVersion: 1, _userItemVersionId: rooms._tipId },
        expect.objectContaining({ _itemId: files._id, _userItemClass: 'NamedFileCollection', _userItemVersion: 1 }),
      ],
    });
    const page = await found(item);
    expect(page).toEqual({ _offset: 0, _pageSize: 25, _total: 3, _list: response.body._list });
    expect((await send('get', `/${item._userItemId}/relatedcollections`, { query: '{}' })).body).toEqual(page);
    const transactional = await relate(item, [{ _itemId: rooms._id }], { transactional: true }).expect(201);
    expect(transactional.body).not.toHaveProperty('_failures');
  });

  it('are filtered, sorted, projected and in pages, with the current type of each item', async () => {
    const item = await composite();
    const [rooms, walls] = [await collection({ _userType: 'rooms' }), await collection({ _userType: 'walls' })];
    await relate(item, [{ _itemId: rooms._id }, { _itemId: walls._id }]).expect(201);
    expect(await found(item, { _userType: 'rooms' })).toMatchObject({ _total: 1, _list: [{ _itemId: rooms._id }] });
    expect(await found(item, { _itemId: rooms._id })).toMatchObject({ _total: 1 });
    expect((await found(item, { _userType: { $regex: '^w' } }))._list).toMatchObject([{ _userType: 'walls' }]);
    expect(await found(item, { _ownerId: item._id })).toMatchObject({ _total: 0 });
    const page = { page: '{"_pageSize":1,"_offset":1}', sort: '{"_userType":-1}', project: '{"_userType":1,"_id":0}' };
    const _list = [{ _userType: 'rooms' }];
    expect(await found(item, {}, page)).toEqual({ _offset: 1, _pageSize: 1, _total: 2, _list });
    expect(await found(item, {}, { page: '{"_pageSize":0}' })).toMatchObject({ _total: 2, _list: [] });
    await put(rooms._id, { _userType: 'spaces' }).expect(204);
    expect((await found(item, { _userType: 'spaces' }))._list).toMatchObject([{ _itemId: rooms._id }]);
  });

  it('require a composite item, in one of its versions', async () => {
    const item = await composite();
    await list(item, {}, { userItemVersionId: 'unknown' }).expect(404);
    await relate(item, [{ _itemId: item._id }], { userItemVersionId: 'unknown' }).expect(404);
    const rooms = await collection();
    expect((await list(rooms).expect(400)).body.code).toBe('NO_RELATED_COLLECTIONS');
    expect((await relate(rooms, [{ _itemId: item._id }]).expect(400)).body.code).toBe('NO_RELATED_COLLECTIONS');
  });

  it('are not created if one names no item, a missing one, or two different ones', async () => {
    const [item, a, b] = [await composite(), await collection(), await collection()];
    const withWrong = async (wrong: object) => (await relate(item, [{ _itemId: a._id }, wrong]).expect(400)).body.code;
    expect(await withWrong({})).toBe('BAD_REQUEST');
    const others = [{ _userItemId: b._userItemId }, { _userItemVersionId: b._tipId }];
    for (const wrong of [{ _itemId: UNKNOWN }, ...others.map((other) => ({ _itemId: a._id, ...other }))])
      expect(await withWrong(wrong)).toBe('RELATED_COLLECTION_MISSING');
    expect(await related(item)).toEqual([]);
  });

  it('belong to a version, and are counted in all namespaces of the composite item', async () => {
    const item = await composite();
    const [rooms, walls] = [await collection(), await collection()];
    const first = await relateOne(item, rooms);
    await relateOne(item, walls);
    const second = await addVersion(item._id);
    expect(await related(item)).toEqual([]);
    await relate(item, [{ _itemId: walls._id }], { userItemVersionId: second._id }).expect(201);
    expect(await related(item)).toEqual([walls._id]);
    expect(await recorded(item)).toEqual({ [NS]: 3 });
    await put(item._id, { _namespaces: [NS, OTHER] }).expect(204);
    expect(await recorded(item)).toEqual({ [NS]: 3, [OTHER]: 3 });
    const ofFirst = { userItemVersionId: item._tipId };
    expect(await related(item, ofFirst)).toEqual([rooms._id, walls._id]);
    await end(item, first._id).expect(404);
    await end(item, first._id, ofFirst).expect(204);
    await end(item, first._id, ofFirst).expect(404);
    expect(await related(item, ofFirst)).toEqual([walls._id]);
    expect(await recorded(item)).toEqual({ [NS]: 2, [OTHER]: 2 });
    await send('delete', `/${item._id}/versions/${item._tipId}`).expect(204);
    expect(await recorded(item)).toEqual({ [NS]: 1, [OTHER]: 1 });
    await send('delete', `/${item._id}`).expect(204);
    expect(await recorded(item)).toEqual({ [NS]: 0, [OTHER]: 0 });
  });

  it('are limited to items that the caller may read', async () => {
    const item = await composite();
    const [rooms, walls] = [await collection({ _userType: 'rooms' }), await collection()];
    const elsewhere: Shown = await itemClient(here, OTHER).createOne({ _namespaces: [OTHER] });
    await relate(item, [{ _itemId: rooms._id }, { _itemId: walls._id }]).expect(201);
    expect((await relate(item, [{ _itemId: elsewhere._id }]).expect(400)).body.errors).toHaveLength(1);

    const eve = await app.caller('eve', NS, ['*'], item._irn);
    const seen = async () => (await list(item).set(eve).expect(200)).body;
    expect(await seen()).toMatchObject({ _total: 0, _list: [] });
    await relate(item, [{ _itemId: walls._id }], {}, eve).expect(400);
    await app.grants.allow('eve', NS, rooms._irn, ['READ']);
    expect(await seen()).toMatchObject({ _total: 1, _list: [{ _itemId: rooms._id }] });
    await relate(item, [{ _itemId: rooms._id }], {}, eve).expect(201);
  });

  it('leave nothing behind if either item is deleted while they are created', async () => {
    const [kept, deleted] = [await composite(), await composite()];
    const rooms = await collection();
    const remove = (item: Shown) => send('delete', `/${item._id}`);
    const add = (item: Shown) => relate(item, [{ _itemId: rooms._id }]);
    const calls = [add(kept), add(deleted), remove(deleted), add(deleted), add(kept), remove(rooms)];
    for (const { status } of await Promise.all(calls)) expect([201, 204, 400, 404]).toContain(status);
    const worker = await app.startWorker();
    await eventually(async () => {
      expect(await stored.countDocuments({ _itemId: rooms._id })).toBe(0);
      for (const item of [kept, deleted])
        expect(Object.values(await recorded(item)).filter((count) => count !== 0)).toEqual([]);
    });
    await worker.stop();
  });

  it('are removed with the item or version that they name', async () => {
    const [item, rooms, walls] = [await composite(), await collection(), await collection()];
    const latest = await addVersion(walls._id);
    const older = { _itemId: walls._id, _userItemVersionId: walls._tipId };
    await relate(item, [{ _itemId: rooms._id }, { _itemId: walls._id }, older]).expect(201);
    await send('delete', `/${rooms._id}`).expect(204);
    expect(await related(item)).toEqual([walls._id, walls._id]);
    await app.startWorker();
    await eventually(async () => expect(await stored.countDocuments({ _itemId: rooms._id })).toBe(0));
    await eventually(async () => expect(await recorded(item)).toEqual({ [NS]: 2 }));
    await send('delete', `/${walls._id}/versions/${latest._id}`).expect(204);
    await eventually(async () => expect(await related(item)).toEqual([walls._id]));
    await eventually(async () => expect(await recorded(item)).toEqual({ [NS]: 1 }));
    await send('delete', `/${item._id}`).expect(204);
    await eventually(async () => expect(await stored.countDocuments({ _ownerId: item._id })).toBe(0));
    expect(await recorded(item)).toEqual({ [NS]: 0 });
  });

  it('number at most 1000 per version', async () => {
    const [item, rooms] = [await composite(), await collection()];
    const many = (count: number) => Array.from({ length: count }, () => ({ _itemId: rooms._id }));
    await relate(item, many(1001)).expect(400);
    await relate(item, many(999), { transactional: true }).expect(201);
    const responses = await Promise.all([relate(item, many(1)), relate(item, many(1))]);
    expect(responses.map(({ status }) => status).sort()).toEqual([201, 400]);
    const { body } = responses.find(({ status }) => status === 400)!;
    expect(body.code).toBe('TOO_MANY_RELATED_COLLECTIONS');
    expect((await found(item, {}, { _pageSize: 1 }))._total).toBe(1000);
  });
});

describe('a cycle of related collections', () => {
  const rejected = async (item: Shown, to: Shown) =>
    expect((await relate(item, [{ _itemId: to._id }]).expect(400)).body.code).toBe('RELATED_COLLECTION_CYCLE');

  it('is rejected, directly, through others, or through other versions', async () => {
    const [a, b, c] = [await composite(), await composite(), await composite()];
    await rejected(a, a);
    const relation = await relateOne(a, b);
    await relateOne(b, c);
    await rejected(c, a);
    await rejected(b, a);
    await relateOne(a, c);
    await addVersion(a._id);
    await rejected(c, a);
    await end(a, relation._id, { userItemVersionId: a._tipId }).expect(204);
    await relateOne(b, a);
  });

  it('is rejected if its parts are created concurrently', async () => {
    for (let round = 0; round < 4; round++) {
      const [a, b, c] = [await composite(), await composite(), await composite()];
      const toNext = (item: Shown, next: Shown) => relate(item, [{ _itemId: next._id }]);
      const responses = await Promise.all([toNext(a, b), toNext(b, c), toNext(c, a)]);
      expect(responses.map(({ status }) => status).sort()).toEqual([201, 201, 400]);
    }
  });
});
