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
  it.each([
    ...['NamedUserCollection', 'NamedFileCollection', 'NamedTelemetryCollection'],
    ...['NamedCompositeItem', 'Script', 'UserConfig'],
  ])('counts a %s and the bytes of its versions, until it is deleted', async (itemClass) => {
    const item = await create(itemClass);
    const second = await addVersion(item._id, { _userAttributes: { more: 'text' } });
    const [size, secondSize] = [item._versions[0], second].map((one) => BSON.calculateObjectSize(one));
    expect(await recorded(item)).toEqual({
      [`${NS} ${itemClass}Count`]: 1,
      [`${NS} ${itemClass}VersionCount`]: 2,
      [`${NS} ${itemClass}VersionSize ${item._tipId}`]: size,
      [`${NS} ${itemClass}VersionSize ${second._id}`]: secondSize,
      ...(itemClass === 'NamedCompositeItem' && { [`${NS} ${itemClass}Size`]: size! + secondSize! }),
    });
    await remove(item).expect(204);
    expect(await recorded(item)).toEqual({});
  });

  it.each([
    ['collection', 15],
    ['version', 5],
  ])('is zero for a %s that is deleted while related items are added', async (what, rounds) => {
    for (let round = 0; round < rounds; round++) {
      await outbox.deleteMany({});
      const item = await create();
      const id: string = what === 'version' ? (await addVersion(item._id))._id : item._tipId;
      const addTo = () => add(item, { userItemVersionId: id });
      const { etag } = (await get(item._id)).headers;
      await addTo().expect(201);
      expect((await get(item._id)).headers.etag).toBe(etag);

      const removal = remove(item, what === 'version' ? `/versions/${id}` : '');
      const responses = await Promise.all([addTo(), addTo(), removal, addTo()]);
      expect(responses[2].status).toBe(204);
      for (const { status } of responses) expect([201, 204, 404]).toContain(status);
      const left = Object.keys(await recorded(item));
      expect(left.filter((key) => what === 'collection' || key.includes(id))).toEqual([]);
      expect(await rowsAdded(id)).toBe(await relatedItems.countDocuments({ '_platform.versionId': id }));
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
    await put(item._id, { _namespaces: [NS, OTHER] }).expect(204);
    await put(item._id, { _namespaces: [OTHER] }, { nsfilter: OTHER }).expect(204);
    const inOther = Object.entries(before).map(([key, sum]) => [key.replace(NS, OTHER), sum]);
    expect(await recorded(item)).toEqual(Object.fromEntries(inOther));
    const query = { _id: item._id, '_versions.all': true, '_versions._version': 1 };
    const { body } = await itemClient(here, OTHER).list({ query });
    expect(body).toMatchObject({ _total: 1, _list: [{ _id: item._id }] });
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
      await addRows(item._id, Array(count).fill({}));
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
