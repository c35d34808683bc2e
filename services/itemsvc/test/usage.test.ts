import { beforeEach, describe, expect, it } from '@jest/globals';
import { BSON } from '@dtplatform/mongo';
import { eventually } from '@dtplatform/testing';
import { doors, itemClient } from './item-client.js';
import type { Shown } from './item-client.js';
import { NS, openApp, OTHER } from './start-app.js';
import { nonZero, sumsBy, usageInOutbox } from './usage-client.js';

const here = await openApp(NS, OTHER);
const { app } = here;
const { send, get, put, createOne, addVersion, addRows } = itemClient(here);
const [relatedItems, outbox] = [app.stored('related_items'), app.stored('outbox')];

const _version = { _userAttributes: { a: 1 }, _userData: { b: 'x' } };
const create = (_itemClass = 'NamedUserCollection') => createOne({ _itemClass, _version });
const add = (item: Shown, query: object = {}) =>
  send('post', `/${item._id}/relateditems`, query).send([{ row: 1 }, { row: 2 }]);
const remove = (item: Shown, path = '') => send('delete', `/${item._id}${path}`);

/** The recorded sums of an item, by namespace, metric and version. */
const recorded = async ({ _id, _userItemId }: Shown) => {
  const own = (await usageInOutbox(app)).filter(({ _dimensions }) => {
    const values = Object.values(_dimensions);
    return values.length === 0 || values.includes(_id);
  });
  for (const { _dimensions, _aliases } of own)
    if (Object.keys(_dimensions).length > 0) expect(Object.values(_aliases!)).toContain(_userItemId);
  const sums = sumsBy(own, ({ namespace, _metric, _dimensions }) =>
    [namespace, _metric.replace('dtplatform.itemsvc.', ''), ...Object.values(_dimensions).slice(1)].join(' '),
  );
  return nonZero(sums);
};
/** The recorded number of a version's related items. */
const rowsAdded = async (versionId: string) => {
  const entries = await outbox.find({ 'deltas.namespace': versionId }).toArray();
  const deltas = entries.flatMap((entry) => entry.deltas as { namespace: string; amount: number }[]);
  return deltas.reduce((sum, { namespace, amount }) => (namespace === versionId ? sum + amount : sum), 0);
};

beforeEach(() => outbox.deleteMany({}));

describe('usage of items', () => {
  it.each(['NamedUserCollection', 'NamedFileCollection', 'NamedTelemetryCollection', 'Script', 'UserConfig'])(
    'counts a %s and the bytes of its versions, until it is deleted',
    async (itemClass) => {
      const item = await create(itemClass);
      const second = await addVersion(item._id, { _userAttributes: { more: 'text' } });
      expect(await recorded(item)).toEqual({
        [`${NS} ${itemClass}Count`]: 1,
        [`${NS} ${itemClass}VersionCount`]: 2,
        [`${NS} ${itemClass}VersionSize ${item._tipId}`]: BSON.calculateObjectSize(item._versions[0]),
        [`${NS} ${itemClass}VersionSize ${second._id}`]: BSON.calculateObjectSize(second),
      });
      await remove(item).expect(204);
      expect(await recorded(item)).toEqual({});
    },
  );

  it('counts composite items also by their total size', async () => {
    const item = await create('NamedCompositeItem');
    const bytes = BSON.calculateObjectSize(item._versions[0]);
    expect(await recorded(item)).toEqual({
      [`${NS} NamedCompositeItemCount`]: 1,
      [`${NS} NamedCompositeItemVersionCount`]: 1,
      [`${NS} NamedCompositeItemSize`]: bytes,
      [`${NS} NamedCompositeItemVersionSize ${item._tipId}`]: bytes,
    });
  });

  it('includes related items in their version, also when versions are changed and deleted', async () => {
    const item = await create();
    await add(item).expect(201);
    const second = await addVersion(item._id);
    await addRows(item._id, [{ a: 3 }]);
    const put = send('put', `/${item._id}/versions/${item._tipId}`).send({ _userData: { b: 'longer' } });
    const changed = (await put.expect(201)).body;
    const own = await relatedItems.find({ '_platform.versionId': item._tipId }).toArray();
    const bytes = own.map(({ _platform, ...shown }) => BSON.calculateObjectSize(shown));
    await remove(item, `/versions/${second._id}`).expect(204);
    expect(await recorded(item)).toEqual({
      [`${NS} NamedUserCollectionCount`]: 1,
      [`${NS} NamedUserCollectionVersionCount`]: 1,
      [`${NS} NamedUserCollectionRelatedItemsCount ${item._tipId}`]: 2,
      [`${NS} NamedUserCollectionVersionSize ${item._tipId}`]: bytes.reduce(
        (sum, size) => sum + size,
        BSON.calculateObjectSize(changed),
      ),
    });
    await remove(item).expect(204);
    expect(await recorded(item)).toEqual({});
  });

  it('is zero for a collection that is deleted while related items are added', async () => {
    for (let round = 0; round < 15; round++) {
      await outbox.deleteMany({});
      const item = await create();
      const { etag } = (await get(item._id)).headers;
      await add(item).expect(201);
      expect((await get(item._id)).headers.etag).toBe(etag);

      const responses = await Promise.all([add(item), add(item), remove(item), add(item)]);
      expect(responses[2].status).toBe(204);
      for (const { status } of responses) expect([201, 204, 404]).toContain(status);
      expect(await recorded(item)).toEqual({});
      const stored = await relatedItems.countDocuments({ '_platform.itemId': item._id });
      expect(await rowsAdded(item._tipId)).toBe(stored);
    }
  });

  it('is zero for a version that is deleted while related items are added', async () => {
    for (let round = 0; round < 5; round++) {
      const item = await create();
      const second = await addVersion(item._id);
      const addToSecond = () => add(item, { userItemVersionId: second._id });
      const removal = remove(item, `/versions/${second._id}`);
      const responses = await Promise.all([addToSecond(), addToSecond(), removal, addToSecond()]);
      expect(responses[2].status).toBe(204);
      for (const { status } of responses) expect([201, 204, 404]).toContain(status);
      expect(Object.keys(await recorded(item)).filter((key) => key.includes(second._id))).toEqual([]);
    }
  });

  it('is recorded in all namespaces of an item that moves while related items are added', async () => {
    for (let round = 0; round < 10; round++) {
      const item = await create();
      await Promise.all([add(item), put(item._id, { _namespaces: [NS, OTHER] }).expect(204), add(item)]);
      const rows = await relatedItems.countDocuments({ '_platform.itemId': item._id });
      const sums = await recorded(item);
      for (const namespace of [NS, OTHER])
        expect(sums[`${namespace} NamedUserCollectionRelatedItemsCount ${item._tipId}`]).toBe(rows);
    }
  });

  it('moves with an item and its older versions', async () => {
    const item = await create();
    await addVersion(item._id);
    await addRows(item._id, [{ a: 1 }]);
    const before = await recorded(item);
    const inOther = Object.fromEntries(Object.entries(before).map(([key, sum]) => [key.replace(NS, OTHER), sum]));
    await put(item._id, { _namespaces: [NS, OTHER] }).expect(204);
    expect(await recorded(item)).toEqual({ ...before, ...inOther });
    await put(item._id, { _namespaces: [OTHER] }, { nsfilter: OTHER }).expect(204);
    expect(await recorded(item)).toEqual(inOther);
    const query = { _id: item._id, '_versions.all': true, '_versions._version': 1 };
    const all = await itemClient(here, OTHER).list({ query });
    expect(all.body).toMatchObject({ _total: 1, _list: [{ _id: item._id, _versionsCount: 2 }] });
  });

  it('adds up to the totals of lists, before and after the relay has processed it', async () => {
    await app.caller('olga', 'sums_1');
    const { create, list, addRows, rowsOf, send } = itemClient(here, 'sums_1');
    const drafts = ['NamedUserCollection', 'Script', 'Script'].map((_itemClass) =>
      doors({ _itemClass, _version, _namespaces: ['sums_1'] }),
    );
    const [rows, script] = (await create(drafts).expect(201)).body._list;
    await addRows(rows._id, [{}, {}, {}]);
    const totals = async () => [
      (await list({ page: { _pageSize: 1 } })).body._total,
      (await list({ query: { _itemClass: 'Script' } })).body._total,
      (await rowsOf(rows._id, { page: { _pageSize: 1 } }))._total,
    ];
    expect(await totals()).toEqual([3, 2, 3]);
    await app.startWorker();
    await eventually(async () => expect(await outbox.countDocuments({ checkAt: { $exists: false } })).toBe(0));
    expect(await totals()).toEqual([3, 2, 3]);
    await send('delete', `/${script._id}`).expect(204);
    expect(await totals()).toEqual([2, 1, 3]);
  });
});

describe('a deleted version or item', () => {
  it('leaves nothing behind', async () => {
    const item = await create();
    for (const count of [1000, 1000, 5]) {
      await addRows(
        item._id,
        Array.from({ length: count }, (_, n) => ({ n })),
      );
      await addVersion(item._id);
    }
    const countRows = (more: object = {}) => relatedItems.countDocuments({ '_platform.itemId': item._id, ...more });
    const countLogs = () => app.stored('item_update_logs').countDocuments({ _itemId: item._id });
    expect(await countRows()).toBe(2005);
    await remove(item, `/versions/${item._tipId}`).expect(204);
    await eventually(async () => expect(await countRows()).toBe(1005));
    expect(await countLogs()).toBe(4);
    await remove(item).expect(204);
    await eventually(async () => {
      expect(await countRows()).toBe(0);
      expect(await app.stored('item_versions').countDocuments({ _userItemDbId: item._id })).toBe(0);
      expect(await countLogs()).toBe(0);
    });
  });
});
