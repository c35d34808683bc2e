import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { UsageRecorded } from '@dtplatform/contracts';
import { BSON } from '@dtplatform/mongo';
import { eventually } from '@dtplatform/testing';
import { API, startApp } from './start-app.js';
import type { TestApp } from './start-app.js';

const ITEMS = `${API}/nameduseritems`;
/** A stored related item as callers see it. */
const shown = ({ _platform, ...row }: Record<string, unknown>) => row;
const NS = 'tower_a1b2c3d4';
const OTHER = 'annex_e5f6a7b8';

const draft = (_itemClass: string, _namespaces = [NS]) => ({
  _name: 'Doors',
  _shortName: 'doors',
  _description: '',
  _namespaces,
  _userType: 'doors',
  _itemClass,
  _version: { _userAttributes: { a: 1 }, _userData: { b: 'x' } },
});

describe('usage of items', () => {
  let app: TestApp;
  let owner: { authorization: string };

  beforeAll(async () => {
    app = await startApp();
    owner = await app.caller('olga', NS);
    await app.caller('olga', OTHER);
  });
  afterAll(() => app.stop());

  const send = (method: 'post' | 'put' | 'delete', path: string, body?: unknown, nsfilter = NS) =>
    app.api[method](`${ITEMS}${path}`)
      .query({ nsfilter })
      .set(owner)
      .send(body as object);
  const create = async (itemClass: string, namespaces?: string[]) =>
    (await send('post', '', [draft(itemClass, namespaces)]).expect(201)).body._list[0];

  /** The sums of all that waits in the outbox (no relay runs), by namespace, metric and dimensions; without those of 0. */
  const told = async (about: { _id: string; _userItemId: string }) => {
    const entries = await app.mongo.db.collection('outbox').find({ queue: 'metricsvc.usage' }).toArray();
    const sums: Record<string, number> = {};
    for (const { payload } of entries) {
      const { _namespace, _changes } = UsageRecorded.parse(payload);
      for (const { _metric, _dimensions, _aliases, _amount } of _changes) {
        const owned = Object.values(_dimensions);
        if (owned.length > 0 && !owned.includes(about._id)) continue;
        if (owned.length > 0) expect(Object.values(_aliases!)).toContain(about._userItemId);
        const key = [_namespace, _metric.replace('dtplatform.itemsvc.', ''), ...owned.slice(1)].join(' ');
        sums[key] = (sums[key] ?? 0) + _amount;
      }
    }
    return Object.fromEntries(Object.entries(sums).filter(([, sum]) => sum !== 0));
  };
  /** The total of a version's related items, as far as it waits in the outbox. */
  const added = async (versionId: string) => {
    const entries = await app.mongo.db.collection('outbox').find({ 'deltas.namespace': versionId }).toArray();
    const deltas = entries.flatMap((entry) => entry.deltas as { namespace: string; amount: number }[]);
    return deltas.reduce((sum, { namespace, amount }) => (namespace === versionId ? sum + amount : sum), 0);
  };
  const forget = () => app.mongo.db.collection('outbox').deleteMany({});

  it.each(['NamedUserCollection', 'NamedFileCollection', 'NamedTelemetryCollection', 'Script', 'UserConfig'])(
    'counts a %s, its versions and their bytes, and subtracts them when it is deleted',
    async (itemClass) => {
      await forget();
      const item = await create(itemClass);
      const second = (await send('post', `/${item._id}/versions`, { _userAttributes: { more: 'text' } }).expect(201))
        .body;
      expect(await told(item)).toEqual({
        [`${NS} ${itemClass}Count`]: 1,
        [`${NS} ${itemClass}VersionCount`]: 2,
        [`${NS} ${itemClass}VersionSize ${item._tipId}`]: BSON.calculateObjectSize(item._versions[0]),
        [`${NS} ${itemClass}VersionSize ${second._id}`]: BSON.calculateObjectSize(second),
      });
      await send('delete', `/${item._id}`).expect(204);
      expect(await told(item)).toEqual({});
    },
  );

  it('counts the size of composite items as a whole, too', async () => {
    await forget();
    const item = await create('NamedCompositeItem');
    const bytes = BSON.calculateObjectSize(item._versions[0]);
    expect(await told(item)).toEqual({
      [`${NS} NamedCompositeItemCount`]: 1,
      [`${NS} NamedCompositeItemVersionCount`]: 1,
      [`${NS} NamedCompositeItemSize`]: bytes,
      [`${NS} NamedCompositeItemVersionSize ${item._tipId}`]: bytes,
    });
  });

  it('counts nothing of a collection that is deleted while related items are added to it', async () => {
    for (let round = 0; round < 15; round++) {
      await forget();
      const item = await create('NamedUserCollection');
      const { etag } = (await app.api.get(`${ITEMS}/${item._id}`).query({ nsfilter: NS }).set(owner)).headers;
      const add = () => send('post', `/${item._id}/relateditems`, [{ row: 1 }, { row: 2 }]);
      const first = await add().expect(201);
      expect(first.body._list).toHaveLength(2);
      const unchanged = await app.api.get(`${ITEMS}/${item._id}`).query({ nsfilter: NS }).set(owner);
      expect(unchanged.headers.etag).toBe(etag);

      const responses = await Promise.all([add(), add(), send('delete', `/${item._id}`), add()]);
      expect(responses[2].status).toBe(204);
      for (const { status } of responses) expect([201, 204, 404]).toContain(status);
      expect(await told(item)).toEqual({});
      const stored = await app.mongo.db.collection('related_items').countDocuments({ '_platform.itemId': item._id });
      expect(await added(item._tipId)).toBe(stored);
    }
  });

  it('counts related items in the namespaces that their item moves to at the same time', async () => {
    for (let round = 0; round < 10; round++) {
      await forget();
      const item = await create('NamedUserCollection');
      const add = () => send('post', `/${item._id}/relateditems`, [{ row: 1 }]);
      const { _version, _itemClass, _shortName, ...fields } = draft('NamedUserCollection', [NS, OTHER]);
      await Promise.all([add(), send('put', `/${item._id}`, fields).expect(204), add()]);
      const rows = await app.mongo.db.collection('related_items').countDocuments({ '_platform.itemId': item._id });
      const counts = await told(item);
      expect(counts[`${OTHER} NamedUserCollectionRelatedItemsCount ${item._tipId}`]).toBe(rows);
      expect(counts[`${NS} NamedUserCollectionRelatedItemsCount ${item._tipId}`]).toBe(rows);
      await send('delete', `/${item._id}`).expect(204);
    }
  });

  it('counts related items as a part of their version', async () => {
    await forget();
    const item = await create('NamedUserCollection');
    await send('post', `/${item._id}/relateditems`, [{ a: 1 }, { a: 2 }]).expect(201);
    await send('post', `/${item._id}/versions`, {}).expect(201);
    const stored = await app.mongo.db.collection('related_items').find({ '_platform.itemId': item._id }).toArray();
    const bytes = stored.reduce((sum, row) => sum + BSON.calculateObjectSize(shown(row)), 0);
    expect(await told(item)).toMatchObject({
      [`${NS} NamedUserCollectionRelatedItemsCount ${item._tipId}`]: 2,
      [`${NS} NamedUserCollectionVersionSize ${item._tipId}`]: BSON.calculateObjectSize(item._versions[0]) + bytes,
    });
    await send('delete', `/${item._id}`).expect(204);
    expect(await told(item)).toEqual({});
  });

  it('follows a version that is changed or deleted, with its related items', async () => {
    await forget();
    const item = await create('NamedUserCollection');
    const path = `/${item._id}/versions`;
    await send('post', `/${item._id}/relateditems`, [{ a: 1 }, { a: 2 }]).expect(201);
    const second = (await send('post', path, {}).expect(201)).body;
    await send('post', `/${item._id}/relateditems`, [{ a: 3 }]).expect(201);
    const changed = (await send('put', `${path}/${item._tipId}`, { _userData: { b: 'longer' } }).expect(201)).body;
    const rows = await app.mongo.db.collection('related_items').find({ '_platform.versionId': item._tipId }).toArray();
    const rowBytes = rows.reduce((sum, row) => sum + BSON.calculateObjectSize(shown(row)), 0);
    expect(await told(item)).toMatchObject({
      [`${NS} NamedUserCollectionVersionSize ${item._tipId}`]: BSON.calculateObjectSize(changed) + rowBytes,
    });
    await send('delete', `${path}/${second._id}`).expect(204);
    expect(await told(item)).toEqual({
      [`${NS} NamedUserCollectionCount`]: 1,
      [`${NS} NamedUserCollectionVersionCount`]: 1,
      [`${NS} NamedUserCollectionRelatedItemsCount ${item._tipId}`]: 2,
      [`${NS} NamedUserCollectionVersionSize ${item._tipId}`]: BSON.calculateObjectSize(changed) + rowBytes,
    });
    await send('delete', `/${item._id}`).expect(204);
    expect(await told(item)).toEqual({});
  });

  it('counts nothing of a version that is deleted while related items are added to it', async () => {
    for (let round = 0; round < 5; round++) {
      await forget();
      const item = await create('NamedUserCollection');
      const second = (await send('post', `/${item._id}/versions`, {}).expect(201)).body;
      const add = () =>
        send('post', `/${item._id}/relateditems`, [{ row: 1 }]).query({ userItemVersionId: second._id });
      const remove = send('delete', `/${item._id}/versions/${second._id}`);
      const responses = await Promise.all([add(), add(), remove, add()]);
      expect(responses[2].status).toBe(204);
      for (const { status } of responses) expect([201, 204, 404]).toContain(status);
      expect(Object.keys(await told(item)).filter((key) => key.includes(second._id))).toEqual([]);
    }
  });

  it('moves with an item from namespace to namespace', async () => {
    await forget();
    const item = await create('NamedUserCollection');
    await send('post', `/${item._id}/versions`, {}).expect(201);
    await send('post', `/${item._id}/relateditems`, [{ a: 1 }]).expect(201);
    const before = await told(item);
    const move = (_namespaces: string[], nsfilter: string) =>
      send('put', `/${item._id}`, { _name: 'n', _description: '', _namespaces, _userType: 'u' }, nsfilter).expect(204);
    await move([NS, OTHER], NS);
    const inOther = Object.fromEntries(Object.entries(before).map(([key, sum]) => [key.replace(NS, OTHER), sum]));
    expect(await told(item)).toEqual({ ...before, ...inOther });
    await move([OTHER], OTHER);
    expect(await told(item)).toEqual(inOther);
    const all = await app.api
      .get(ITEMS)
      .query({ nsfilter: OTHER, query: '{"_versions.all":true,"_versions._version":1}' })
      .set(owner);
    expect(all.body).toMatchObject({ _total: 1, _list: [{ _id: item._id, _versionsCount: 2 }] });
  });

  it('adds up to the totals of lists, before and after the relay has folded them', async () => {
    const totals = async () => {
      const total = async (path: string, query: object) =>
        (
          await app.api
            .get(`${ITEMS}${path}`)
            .query({ nsfilter: 'sums_1', ...query })
            .set(owner)
            .expect(200)
        ).body._total;
      const page = '{"_pageSize":1}';
      return [
        await total('', { page }),
        await total('', { page, query: '{"_itemClass":"Script"}' }),
        await total(`/${rows._id}/relateditems`, { page }),
      ];
    };
    await app.caller('olga', 'sums_1');
    const bodies = ['NamedUserCollection', 'Script', 'Script'].map((itemClass) => draft(itemClass, ['sums_1']));
    const [rows, script] = (await send('post', '', bodies, 'sums_1').expect(201)).body._list;
    await send('post', `/${rows._id}/relateditems`, [{}, {}, {}], 'sums_1').expect(201);
    expect(await totals()).toEqual([3, 2, 3]);
    await app.startWorker();
    const unsent = { checkAt: { $exists: false } };
    await eventually(async () => expect(await app.mongo.db.collection('outbox').countDocuments(unsent)).toBe(0));
    expect(await totals()).toEqual([3, 2, 3]);
    await send('delete', `/${script._id}`, undefined, 'sums_1').expect(204);
    expect(await totals()).toEqual([2, 1, 3]);
  });

  it('leaves nothing of a deleted item behind', async () => {
    const versions = app.mongo.db.collection('item_versions');
    const relatedItems = app.mongo.db.collection('related_items');
    const logs = app.mongo.db.collection('item_update_logs');
    const item = await create('NamedUserCollection');
    for (const rows of [1000, 1000, 5]) {
      await send(
        'post',
        `/${item._id}/relateditems`,
        Array.from({ length: rows }, (_, n) => ({ n })),
      ).expect(201);
      await send('post', `/${item._id}/versions`, {}).expect(201);
    }
    expect(await relatedItems.countDocuments({ '_platform.itemId': item._id })).toBe(2005);
    const { versionId } = (await relatedItems.findOne({ '_platform.itemId': item._id, n: 4 }))!._platform;
    const ofVersion = await relatedItems.countDocuments({ '_platform.versionId': versionId });
    await send('delete', `/${item._id}/versions/${versionId}`).expect(204);
    const expected = 2005 - ofVersion;
    await eventually(async () =>
      expect(await relatedItems.countDocuments({ '_platform.itemId': item._id })).toBe(expected),
    );
    expect(await logs.countDocuments({ _itemId: item._id })).toBe(4);
    await send('delete', `/${item._id}`).expect(204);
    await eventually(async () => {
      expect(await relatedItems.countDocuments({ '_platform.itemId': item._id })).toBe(0);
      expect(await versions.countDocuments({ _userItemDbId: item._id })).toBe(0);
      expect(await logs.countDocuments({ _itemId: item._id })).toBe(0);
    });
  });
});
