import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { UsageRecorded } from '@dtplatform/contracts';
import { eventually } from '@dtplatform/testing';
import { doors, itemClient, NS, OTHER } from './item-client.js';
import { relatedCollectionClient } from './related-collection-client.js';
import type { Shown } from './related-collection-client.js';
import { startApp } from './start-app.js';
import type { TestApp } from './start-app.js';

const METRIC = 'dtplatform.itemsvc.NamedCompositeItemRelatedCollectionCount';

let app: TestApp;
let owner: { authorization: string };

beforeAll(async () => {
  app = await startApp();
  owner = await app.caller('olga', NS);
  await app.caller('olga', OTHER);
});
afterAll(() => app.stop());

describe('related collections of a composite item', () => {
  const { send, composite, collection, relate, relateOne, list, related, end, addVersion } = relatedCollectionClient(
    () => ({ app, owner }),
  );

  /** The counts of an item by namespace, as they were reported to the metrics. */
  const reported = async ({ _id, _userItemId }: Shown) => {
    const entries = await app.mongo.db.collection('outbox').find({ queue: 'metricsvc.usage' }).toArray();
    const sums: Record<string, number> = {};
    // A relay puts them into batches.
    for (const message of entries.flatMap(({ payload }) => payload.messages ?? [payload])) {
      const { _namespace, _changes } = UsageRecorded.parse(message);
      for (const { _metric, _dimensions, _aliases, _amount } of _changes) {
        if (_metric !== METRIC || _dimensions.item !== _id) continue;
        expect(_aliases).toEqual({ item: _userItemId });
        sums[_namespace] = (sums[_namespace] ?? 0) + _amount;
      }
    }
    return sums;
  };

  it('are named by either id, at their latest version or at a given one', async () => {
    const item = await composite();
    const [rooms, files] = [
      await collection({ _userType: 'rooms' }),
      await collection({ _itemClass: 'NamedFileCollection' }),
    ];
    const second = await addVersion(rooms);
    const response = await relate(item, [
      { _itemId: rooms._id, stray: 1 },
      { _userItemId: rooms._userItemId, _userItemVersionId: rooms._tipId },
      { _itemId: files._id, _userItemId: files._userItemId },
    ]).expect(201);
    const _metadata = expect.objectContaining({ _createdById: 'olga' });
    const common = { _id: expect.any(String), _metadata };
    const ofRooms = { ...common, _itemId: rooms._id, _userItemId: rooms._userItemId, _userType: 'rooms' };
    expect(response.body).toEqual({
      ...{ _offset: 0, _pageSize: 3, _total: 3, _failures: [] },
      _list: [
        { ...ofRooms, _userItemClass: 'NamedUserCollection', _userItemVersion: 2, _userItemVersionId: second._id },
        { ...ofRooms, _userItemClass: 'NamedUserCollection', _userItemVersion: 1, _userItemVersionId: rooms._tipId },
        expect.objectContaining({ _itemId: files._id, _userItemClass: 'NamedFileCollection', _userItemVersion: 1 }),
      ],
    });
    const page = (await list(item).expect(200)).body;
    expect(page).toEqual({ _offset: 0, _pageSize: 25, _total: 3, _list: response.body._list });
    expect((await send('get', `/${item._userItemId}/relatedcollections`, { query: '{}' })).body).toEqual(page);
    const transactional = await relate(item, [{ _itemId: rooms._id }], { transactional: true }).expect(201);
    expect(transactional.body).not.toHaveProperty('_failures');
  });

  it('are found by their fields, sorted, projected and in pages', async () => {
    const item = await composite();
    const rooms = await collection({ _userType: 'rooms' });
    await relate(item, [{ _itemId: rooms._id }, { _itemId: (await collection({ _userType: 'walls' }))._id }]).expect(
      201,
    );
    const found = async (query: object, more: object = {}) => (await list(item, query, more).expect(200)).body;
    expect(await found({ _userType: 'rooms' })).toMatchObject({ _total: 1, _list: [{ _itemId: rooms._id }] });
    expect(await found({ _itemId: rooms._id })).toMatchObject({ _total: 1 });
    expect(await found({ _userType: { $regex: '^w' } })).toMatchObject({ _total: 1, _list: [{ _userType: 'walls' }] });
    expect(await found({ _ownerId: item._id })).toMatchObject({ _total: 0 });
    const page = { page: '{"_pageSize":1,"_offset":1}', sort: '{"_userType":-1}', project: '{"_userType":1,"_id":0}' };
    expect(await found({}, page)).toEqual({ _offset: 1, _pageSize: 1, _total: 2, _list: [{ _userType: 'rooms' }] });
    expect(await found({}, { page: '{"_pageSize":0}' })).toMatchObject({ _total: 2, _list: [] });
    // The type is that of now.
    await send('put', `/${rooms._id}`)
      .send({ _name: 'n', _description: '', _namespaces: [NS], _userType: 'spaces' })
      .expect(204);
    expect(await found({ _userType: 'spaces' })).toMatchObject({ _total: 1, _list: [{ _itemId: rooms._id }] });
  });

  it('need a query, known operators and an item that is there', async () => {
    const item = await composite();
    const missing = await send('get', `/${item._id}/relatedcollections`).expect(400);
    expect(missing.body.errors).toEqual([{ location: 'query.query', message: 'is required' }]);
    const unknown = await list(item, { _userType: { $where: '1' } }).expect(400);
    expect(unknown.body).toMatchObject({ code: 'UNKNOWN_OPERATOR', message: '$where is not allowed.' });
    await send('get', '/unknown/relatedcollections', { query: '{}' }).expect(404);
    await list(item, {}, { userItemVersionId: 'unknown' }).expect(404);
    await relate(item, [{ _itemId: item._id }], { userItemVersionId: 'unknown' }).expect(404);
    const rooms = await collection();
    expect((await list(rooms).expect(400)).body.code).toBe('NO_RELATED_COLLECTIONS');
    expect((await relate(rooms, [{ _itemId: item._id }]).expect(400)).body.code).toBe('NO_RELATED_COLLECTIONS');
  });

  it.each([
    ['no item', () => [{}], 'BAD_REQUEST'],
    ['an object', () => ({}), 'BAD_REQUEST'],
    ['nothing', () => [], 'BAD_REQUEST'],
    ['a number for an id', () => [{ _itemId: 1 }], 'BAD_REQUEST'],
    ['an operator for an id', () => [{ _itemId: { $ne: '' } }], 'BAD_REQUEST'],
    ['an item that is not there', () => [{ _itemId: '6b01e9fb590ff35d0952a9ce' }], 'RELATED_COLLECTION_MISSING'],
    [
      'two different items',
      (a: Shown, b: Shown) => [{ _itemId: a._id, _userItemId: b._userItemId }],
      'RELATED_COLLECTION_MISSING',
    ],
    [
      'a version of another item',
      (a: Shown, b: Shown) => [{ _itemId: a._id, _userItemVersionId: b._tipId }],
      'RELATED_COLLECTION_MISSING',
    ],
  ])('cannot be made of %s', async (_what, bodyOf, code) => {
    const [item, a, b] = [await composite(), await collection(), await collection()];
    const wrong = bodyOf(a, b);
    const body = Array.isArray(wrong) && wrong.length > 0 ? [{ _itemId: a._id }, ...wrong] : wrong;
    const response = await relate(item, body).expect(400);
    expect(response.body).toMatchObject({ status: 400, code, requestId: expect.any(String) });
    expect(await related(item)).toEqual([]);
  });

  it('belong to a version; a new one starts with none', async () => {
    const item = await composite();
    const [rooms, walls] = [await collection(), await collection()];
    const first = await relateOne(item, rooms);
    const second = await addVersion(item);
    expect(await related(item)).toEqual([]);
    await relate(item, [{ _itemId: walls._id }], { userItemVersionId: second._id }).expect(201);
    expect(await related(item)).toEqual([walls._id]);
    const ofFirst = { userItemVersionId: item._tipId };
    expect(await related(item, ofFirst)).toEqual([rooms._id]);
    await end(item, first._id).expect(404);
    await end(item, first._id, ofFirst).expect(204);
    expect(await related(item, ofFirst)).toEqual([]);
    await end(item, first._id, ofFirst).expect(404);
    await end(item, 'unknown').expect(404);
  });

  it('are counted as they come and go, in all namespaces of their item', async () => {
    const item = await composite();
    const [rooms, walls] = [await collection(), await collection()];
    const one = await relateOne(item, rooms);
    await relateOne(item, walls);
    await addVersion(item);
    await relateOne(item, walls);
    expect(await reported(item)).toEqual({ [NS]: 3 });
    const body = { _name: 'n', _description: '', _namespaces: [NS, OTHER], _userType: 'u' };
    await send('put', `/${item._id}`).send(body).expect(204);
    expect(await reported(item)).toEqual({ [NS]: 3, [OTHER]: 3 });
    await end(item, one._id, { userItemVersionId: item._tipId }).expect(204);
    expect(await reported(item)).toEqual({ [NS]: 2, [OTHER]: 2 });
    await send('delete', `/${item._id}/versions/${item._tipId}`).expect(204);
    expect(await reported(item)).toEqual({ [NS]: 1, [OTHER]: 1 });
    await send('delete', `/${item._id}`).expect(204);
    expect(await reported(item)).toEqual({ [NS]: 0, [OTHER]: 0 });
  });

  it('show and take only what the caller may read', async () => {
    const item = await composite();
    const [rooms, walls] = [await collection({ _userType: 'rooms' }), await collection()];
    const elsewhere: Shown = await itemClient(() => ({ app, owner }), OTHER).createOne(doors({ _namespaces: [OTHER] }));
    await relate(item, [{ _itemId: rooms._id }, { _itemId: walls._id }]).expect(201);
    expect((await relate(item, [{ _itemId: elsewhere._id }]).expect(400)).body.errors).toHaveLength(1);

    const eve = await app.caller('eve', NS, ['*'], `itemsvc:nameduseritem:${item._id}`);
    expect((await list(item).set(eve).expect(200)).body).toMatchObject({ _total: 0, _list: [] });
    await relate(item, [{ _itemId: walls._id }])
      .set(eve)
      .expect(400);
    await app.grants.allow('eve', NS, `itemsvc:nameduseritem:${rooms._id}`, ['READ']);
    expect((await list(item).set(eve).expect(200)).body).toMatchObject({ _total: 1, _list: [{ _itemId: rooms._id }] });
    await relate(item, [{ _itemId: rooms._id }])
      .set(eve)
      .expect(201);

    const reader = await app.caller('rita', NS, ['READ']);
    const one = (await list(item).set(reader).expect(200)).body._list[0];
    await relate(item, [{ _itemId: rooms._id }])
      .set(reader)
      .expect(403);
    await end(item, one._id).set(reader).expect(403);
    const stranger = await app.caller('stella', NS, ['*'], 'filesvc:file:*');
    await list(item).set(stranger).expect(404);
    await relate(item, [{ _itemId: rooms._id }])
      .set(stranger)
      .expect(404);
    await end(item, one._id).set(stranger).expect(404);
  });

  it('leave nothing behind when either side is deleted while they are made', async () => {
    const stored = app.mongo.db.collection('related_collections');
    const [kept, deleted] = [await composite(), await composite()];
    const rooms = await collection();
    const remove = (item: Shown) => send('delete', `/${item._id}`);
    const add = (item: Shown) => relate(item, [{ _itemId: rooms._id }]);
    const responses = await Promise.all([
      add(kept),
      add(deleted),
      remove(deleted),
      add(deleted),
      add(kept),
      remove(rooms),
    ]);
    for (const { status } of responses) expect([201, 204, 400, 404]).toContain(status);
    await app.startWorker();
    await eventually(async () => {
      expect(await stored.countDocuments({ _itemId: rooms._id })).toBe(0);
      expect(Object.values(await reported(kept)).filter((count) => count !== 0)).toEqual([]);
      expect(Object.values(await reported(deleted)).filter((count) => count !== 0)).toEqual([]);
    });
  });

  it('end with the item or version that they name', async () => {
    const stored = app.mongo.db.collection('related_collections');
    const [item, rooms, walls] = [await composite(), await collection(), await collection()];
    const wallsNow = await addVersion(walls);
    await relate(item, [
      { _itemId: rooms._id },
      { _itemId: walls._id },
      { _itemId: walls._id, _userItemVersionId: walls._tipId },
    ]).expect(201);
    await send('delete', `/${rooms._id}`).expect(204);
    expect(await related(item)).toEqual([walls._id, walls._id]);
    await app.startWorker();
    await eventually(async () => expect(await stored.countDocuments({ _itemId: rooms._id })).toBe(0));
    await eventually(async () => expect(await reported(item)).toEqual({ [NS]: 2 }));
    await send('delete', `/${walls._id}/versions/${wallsNow._id}`).expect(204);
    await eventually(async () => expect(await related(item)).toEqual([walls._id]));
    await eventually(async () => expect(await reported(item)).toEqual({ [NS]: 1 }));
    await send('delete', `/${item._id}`).expect(204);
    await eventually(async () => expect(await stored.countDocuments({ _ownerId: item._id })).toBe(0));
    expect(await reported(item)).toEqual({ [NS]: 0 });
  });
});

describe('related collections never form a cycle', () => {
  const { composite, collection, relate, relateOne, list, end, addVersion } = relatedCollectionClient(() => ({
    app,
    owner,
  }));

  const rejected = async (item: Shown, to: Shown) =>
    expect((await relate(item, [{ _itemId: to._id }]).expect(400)).body.code).toBe('RELATED_COLLECTION_CYCLE');

  it('directly, by way of others, or by way of other versions', async () => {
    const [a, b, c] = [await composite(), await composite(), await composite()];
    await rejected(a, a);
    const relation = await relateOne(a, b);
    await relateOne(b, c);
    await rejected(c, a);
    await rejected(b, a);
    await relateOne(a, c);
    const before = a._tipId;
    await addVersion(a);
    await rejected(c, a);
    await end(a, relation._id, { userItemVersionId: before }).expect(204);
    await relateOne(b, a);
  });

  it('also when both halves are related at the same time', async () => {
    for (let round = 0; round < 4; round++) {
      const [a, b, c] = [await composite(), await composite(), await composite()];
      const responses = await Promise.all([
        relate(a, [{ _itemId: b._id }]),
        relate(b, [{ _itemId: c._id }]),
        relate(c, [{ _itemId: a._id }]),
      ]);
      expect(responses.map(({ status }) => status).sort()).toEqual([201, 201, 400]);
    }
  });

  it('and a version has at most 1000', async () => {
    const [item, rooms] = [await composite(), await collection()];
    const many = (count: number) => Array.from({ length: count }, () => ({ _itemId: rooms._id }));
    await relate(item, many(1001)).expect(400);
    await relate(item, many(999), { transactional: true }).expect(201);
    const responses = await Promise.all([relate(item, many(1)), relate(item, many(1))]);
    expect(responses.map(({ status }) => status).sort()).toEqual([201, 400]);
    expect(responses.find(({ status }) => status === 400)!.body.code).toBe('TOO_MANY_RELATED_COLLECTIONS');
    expect((await list(item, {}, { _pageSize: 1 })).body._total).toBe(1000);
  });
});
