import { describe, expect, it } from '@jest/globals';
import { asJson, itemClient, UNKNOWN } from './item-client.js';
import type { Shown } from './item-client.js';
import { NS, openApp } from './start-app.js';
import type { Here } from './start-app.js';

interface Version {
  _id: string;
  _version: number;
  _isTip: boolean;
}

const here = await openApp(NS);
const { app, owner } = here;
const { send, createOne, get, list, put, addVersion } = itemClient(here);

const version = (item: Shown, id: string) => get(`${item._id}/versions/${id}`);
const change = (item: Shown, id: string, body: object) => send('put', `/${item._id}/versions/${id}`).send(body);
const remove = (item: Shown, id: string) => send('delete', `/${item._id}/versions/${id}`);
const add = (item: Shown, body: object = {}) => send('post', `/${item._id}/versions`).send(body);
const versions = async (item: Shown, parameters: Record<string, unknown> = {}) =>
  (await get(`${item._id}/versions`, asJson(parameters)).expect(200)).body as { _list: Version[]; _total: number };
const numbersIn = (all: Version[]) => all.map(({ _version, _isTip }) => (_isTip ? `${_version} tip` : _version));
const numbers = async (item: Shown, parameters = {}) => numbersIn((await versions(item, parameters))._list);
const etagOf = async (item: Shown) => (await get(item._id)).headers.etag!;
/** An item with versions, numbered in `step`. */
const createWith = async (steps: number) => {
  const item = await createOne({ _version: { _userAttributes: { step: 1 }, _userData: { first: true } } });
  const ids: string[] = [item._tipId];
  for (let step = 2; step <= steps; step++) ids.push((await addVersion(item._id, { _userAttributes: { step } }))._id);
  return { item, ids };
};

describe('reading versions', () => {
  it('lists them newest first, filtered, sorted, projected and in pages', async () => {
    const { item } = await createWith(4);
    const page = await versions(item);
    expect(page).toMatchObject({ _offset: 0, _pageSize: 25, _total: 4 });
    expect(numbersIn(page._list)).toEqual(['4 tip', 3, 2, 1]);
    expect(page._list[3]).toEqual({ ...item._versions[0], _isTip: false });
    expect(await numbers(item, { page: { _offset: 1, _pageSize: 2 } })).toEqual([3, 2]);
    expect(await numbers(item, { sort: { '_userAttributes.step': 1 } })).toEqual([1, 2, 3, '4 tip']);
    const some = await versions(item, { query: { '_userAttributes.step': { $lt: 3 } }, page: { _pageSize: 1 } });
    expect([numbersIn(some._list), some._total]).toEqual([[2], 2]);
    expect((await versions(item, { project: { _version: 1, _id: 0 } }))._list[0]).toEqual({ _version: 4 });
    expect((await versions(item, { query: { _namespaces: NS } }))._total).toBe(0);
    expect(await versions(item, { page: { _pageSize: 0 } })).toMatchObject({ _total: 4, _list: [] });
  });

  it('shows the requested versions with an item', async () => {
    const { item, ids } = await createWith(3);
    const shown = async (query: object) => numbersIn((await get(item._id, query)).body._versions);
    expect(await shown({})).toEqual(['3 tip']);
    expect(await shown({ '_versions.all': true })).toEqual(['3 tip', 2, 1]);
    expect(await shown({ '_versions.all': false })).toEqual(['3 tip']);
    expect(await shown({ versions: '1,3' })).toEqual(['3 tip', 1]);
    expect(await shown({ versions: `1,${ids[1]}` })).toEqual([2, 1]);
    expect(await shown({ versions: '99' })).toEqual([]);
  });

  it('lists the item of a version by userItemVersionId', async () => {
    const { item, ids } = await createWith(2);
    const found = async (query: object) => (await send('get', '', query).expect(200)).body;
    const ofOlder = { userItemVersionId: item._tipId };
    const older = await found(ofOlder);
    expect(older).toMatchObject({ _total: 1, _list: [{ _id: item._id, _tipId: ids[1] }] });
    expect(older._list[0]._versions).toEqual([{ ...item._versions[0], _isTip: false }]);
    const latest = await found({ userItemVersionId: ids[1] });
    expect(latest._list[0]._versions).toEqual([(await version(item, ids[1]!)).body]);
    const project = '{"_id":0,"_versions._version":1}';
    expect((await found({ ...ofOlder, project }))._list).toEqual([{ _versions: [{ _version: 1 }] }]);
    expect(await found({ ...ofOlder, query: '{"_userType":"x"}' })).toMatchObject({ _total: 0 });
    expect(await found({ userItemVersionId: 'unknown' })).toMatchObject({ _total: 0, _list: [] });
    const own = await get(`${item._id}/versions`, ofOlder);
    expect(own.body).toMatchObject({ _total: 1, _list: [{ _version: 1 }] });
  });

  it('reads a version by its id, with the entity tag of its item', async () => {
    const { item, ids } = await createWith(2);
    const etag = await etagOf(item);
    const older = await version(item, ids[0]!).expect(200);
    expect(older.body).toMatchObject({ _id: ids[0], _version: 1, _isTip: false, _userData: { first: true } });
    expect(older.headers.etag).toBe(etag);
    expect((await versions(item))._list).toEqual([(await version(item, ids[1]!)).body, older.body]);
    await version(item, ids[0]!).set('if-none-match', etag).expect(304);
    await get(`${item._userItemId}/versions/${ids[0]}`).expect(200, older.body);
  });

  it('responds 404 for a version of another item', async () => {
    const { item, ids } = await createWith(1);
    const other: Shown = await createOne();
    for (const call of [version, remove]) await call(other, ids[0]!).expect(404);
    await change(other, ids[0]!, {}).expect(404);
    expect((await version(item, UNKNOWN).expect(404)).body.message).toBe('The item has no such version.');
    await change(item, UNKNOWN, {}).expect(404);
    await remove(item, UNKNOWN).expect(404);
  });
});

describe('adding versions', () => {
  it('makes the new version the tip', async () => {
    const { item } = await createWith(1);
    const wanted = { _userAttributes: { step: 2 }, stray: 1 };
    const added = (await send('post', `/${item._userItemId}/versions`).send(wanted)).body;
    expect(added).toEqual({
      ...{ _id: expect.any(String), _userItemDbId: item._id, _isTip: true, _version: 2 },
      ...{ _userAttributes: { step: 2 }, _userData: {} },
      _metadata: expect.objectContaining({ _createdById: 'olga' }),
    });
    const after = (await get(item._id)).body;
    expect(after).toEqual({
      ...item,
      ...{ _tipId: added._id, _tipVersion: 2, _nextVersion: 3, _versionsCount: 2, _versions: [added] },
      _metadata: { ...item._metadata, _updatedAt: after._metadata._updatedAt },
    });
  });

  it('rejects only the stale one of concurrent additions to several items', async () => {
    const items: Shown[] = await Promise.all(Array.from({ length: 8 }, () => createOne()));
    const stale = items[3]!;
    const addTo = (item: Shown) => (item === stale ? add(item).set('if-match', '"99"') : add(item));
    const responses = await Promise.all(items.map(addTo));
    expect(responses.map(({ status }) => status)).toEqual(items.map((item) => (item === stale ? 412 : 201)));
    for (const item of items) expect((await versions(item))._total).toBe(item === stale ? 1 : 2);
  });

  it('numbers additions of several processes consecutively', async () => {
    const { item } = await createWith(1);
    const second = await app.startInstance();
    const addBy = ({ api }: Pick<Here['app'], 'api'>) =>
      itemClient({ app: { ...app, api }, owner }).addVersion(item._id);
    await Promise.all(Array.from({ length: 12 }, (_, n) => addBy(n % 2 === 0 ? app : second)));
    expect(await numbers(item)).toEqual(['13 tip', 12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1]);
    await second.stop();
  });

  it('keeps one tip and distinct numbers while versions are added and deleted', async () => {
    const { item, ids } = await createWith(3);
    const writes = Array.from({ length: 6 }, () => add(item));
    const removals = ids.map((id) => remove(item, id));
    for (const { status } of await Promise.all([...writes, ...removals])) expect([201, 204]).toContain(status);
    const { _list, _total } = await versions(item);
    expect(_total).toBe(6);
    expect(new Set(_list.map(({ _version }) => _version)).size).toBe(6);
    expect(_list.filter(({ _isTip }) => _isTip)).toEqual([_list[0]]);
    const { _id, _version } = _list[0]!;
    const tip = { _versionsCount: 6, _tipVersion: _version, _nextVersion: _version + 1, _tipId: _id };
    expect((await get(item._id)).body).toMatchObject(tip);
  });
});

describe('changing a version', () => {
  it.each([
    ['the latest', 1],
    ['an older one', 0],
  ])('replaces the fields that are sent (%s)', async (_which, place) => {
    const { item, ids } = await createWith(2);
    const id = ids[place]!;
    const before = (await version(item, id)).body;
    const fields = { _userAttributes: { list: [{ x: null }] }, _userData: { $ref: 1, 'a.b': { $gt: 2 } } };
    const response = await change(item, id, { ...fields, stray: 1, _version: 9 }).expect(201);
    const _metadata = expect.objectContaining({ _updatedById: 'olga' });
    expect(response.body).toEqual({ ...before, ...fields, _metadata });
    expect((await version(item, id)).body).toEqual(response.body);
    const second = await change(item, id, { _userData: 'text' }).expect(201);
    expect(second.body).toMatchObject({ ...fields, _userData: 'text' });
    expect(await numbers(item)).toEqual(['2 tip', 1]);
    const { body } = await get(item._id, { '_versions.all': true });
    expect(body).toMatchObject({ _tipId: ids[1], _tipVersion: 2, _nextVersion: 3, _versionsCount: 2 });
    expect(body._versions[1 - place]).toMatchObject({ _id: id, _userData: 'text' });
  });

  it('requires the revision of the item in If-Match, as adding and deleting do', async () => {
    const { item, ids } = await createWith(2);
    const etag = await etagOf(item);
    await change(item, ids[0]!, { _userData: 'a' }).set('if-match', etag).expect(201);
    await change(item, ids[1]!, { _userData: 'b' }).set('if-match', etag).expect(412);
    await remove(item, ids[0]!).set('if-match', etag).expect(412);
    await add(item).set('if-match', etag).expect(412);
    const latest = await etagOf(item);
    const responses = await Promise.all(
      ['x', 'y', 'z'].map((_userData) => change(item, ids[0]!, { _userData }).set('if-match', latest)),
    );
    expect(responses.map(({ status }) => status).sort()).toEqual([201, 412, 412]);
  });

  it('rejects what cannot be stored', async () => {
    const { item, ids } = await createWith(1);
    await change(item, ids[0]!, { _userAttributes: { a: [{ 'b.c': 1 }] } }).expect(400);
    await change(item, ids[0]!, { _userData: 'x'.repeat(8.1 * 1024 * 1024) }).expect(413);
  });
});

describe('deleting a version', () => {
  it('makes the previous one the tip unless it is an older one, and reuses the number', async () => {
    const { item, ids } = await createWith(3);
    const query = { _id: item._id, '_versions.all': true, '_versions._userAttributes.step': 3 };
    const total = async () => (await list({ query }).expect(200)).body._total;
    expect(await total()).toBe(1);
    await remove(item, ids[1]!).expect(204);
    expect(await numbers(item)).toEqual(['3 tip', 1]);
    await remove(item, ids[2]!).expect(204);
    expect((await get(item._id)).body).toMatchObject({
      ...{ _tipId: ids[0], _tipVersion: 1, _nextVersion: 2, _versionsCount: 1 },
      _versions: [{ _id: ids[0], _isTip: true, _userAttributes: { step: 1 } }],
    });
    await version(item, ids[2]!).expect(404);
    expect(await total()).toBe(0);
    expect((await addVersion(item._id))._version).toBe(2);
    expect(await numbers(item)).toEqual(['2 tip', 1]);
  });

  it('is rejected for the only one, even if both of two are deleted concurrently', async () => {
    const { item, ids } = await createWith(1);
    expect((await remove(item, ids[0]!).expect(400)).body.code).toBe('LAST_VERSION');
    const second = await addVersion(item._id);
    const responses = await Promise.all([remove(item, ids[0]!), remove(item, second._id)]);
    expect(responses.map(({ status }) => status).sort()).toEqual([204, 400]);
    expect((await versions(item))._total).toBe(1);
  });
});

describe('the update log of an item', () => {
  const logs = (item: Shown, query: object = {}) => get(`${item._id}/updatelogs`, query);

  it('has each accepted write of the item and its versions, oldest first', async () => {
    const item: Shown = await createOne();
    await change(item, item._tipId, {}).set('if-match', '"99"').expect(412);
    await remove(item, item._tipId).expect(400);
    await logs(item).expect(200, []);
    await put(item._id).expect(204);
    const second = await addVersion(item._id);
    const emil = await app.caller('emil', NS, ['READ', 'EDIT']);
    await change(item, second._id, { _userData: 'x' }).set(emil).expect(201);
    await remove(item, second._id).expect(204);
    const all = (await logs(item).expect(200)).body as { _updatedBy: string; _updatedAt: number }[];
    expect(all.map(({ _updatedBy }) => _updatedBy)).toEqual(['olga', 'olga', 'emil', 'olga']);
    expect(all.map(({ _updatedAt }) => _updatedAt)).toEqual(all.map(({ _updatedAt }) => _updatedAt).sort());
    expect(all.at(-1)).toEqual({ _updatedBy: 'olga', _updatedAt: (await get(item._id)).body._metadata._updatedAt });
    await logs(item, { userItemVersionId: second._id }).expect(200, all.slice(1));
    await logs(item, { userItemVersionId: item._tipId }).expect(200, []);
    await get(`${item._userItemId}/updatelogs`).expect(200, all);
  });

  it('keeps only the latest thousand writes', async () => {
    const item: Shown = await createOne();
    const items = app.stored('items');
    await items.updateOne({ _id: item._id }, { $set: { _revision: 998 } });
    for (let n = 0; n < 3; n++) await change(item, item._tipId, { _userData: { n } }).expect(201);
    await items.updateOne({ _id: item._id }, { $set: { _revision: 1998 } });
    await change(item, item._tipId, { _userData: 'later' }).expect(201);
    const { _updatedAt } = (await get(item._id)).body._metadata;
    const { body } = await logs(item).expect(200);
    expect(body).toHaveLength(3);
    expect(body.at(-1)._updatedAt).toBe(_updatedAt);
  });
});
