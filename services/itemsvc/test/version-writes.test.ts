import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { doors, itemClient, ITEMS, NS } from './item-client.js';
import { startApp } from './start-app.js';
import type { TestApp } from './start-app.js';

interface Version {
  _id: string;
  _version: number;
  _isTip: boolean;
}
interface Shown {
  _id: string;
  _userItemId: string;
  _tipId: string;
}

describe('a version of an item', () => {
  let app: TestApp;
  let owner: { authorization: string };
  const { send, createOne, get } = itemClient(() => ({ app, owner }));

  beforeAll(async () => {
    app = await startApp();
    owner = await app.caller('olga', NS);
    await app.caller('eve', NS, ['READ']);
  });
  afterAll(() => app.stop());

  const add = async (item: Shown, body: object = {}) =>
    (await send('post', `/${item._id}/versions`).send(body).expect(201)).body;
  const version = (item: Shown, id: string) => send('get', `/${item._id}/versions/${id}`);
  const change = (item: Shown, id: string, body: object) => send('put', `/${item._id}/versions/${id}`).send(body);
  const remove = (item: Shown, id: string) => send('delete', `/${item._id}/versions/${id}`);
  const list = async (item: Shown) =>
    (await send('get', `/${item._id}/versions`).expect(200)).body as { _list: Version[]; _total: number };
  const numbers = async (item: Shown) =>
    (await list(item))._list.map(({ _version, _isTip }) => (_isTip ? `${_version} tip` : _version));
  const etagOf = async (item: Shown) => (await get(item._id)).headers.etag!;
  const createWith = (steps: number) =>
    createOne({ _version: { _userAttributes: { step: 1 }, _userData: { first: true } } }).then(async (item: Shown) => {
      const ids = [item._tipId];
      for (let step = 2; step <= steps; step++) ids.push((await add(item, { _userAttributes: { step } }))._id);
      return { item, ids };
    });

  describe('is read', () => {
    it('by its id, the latest and older ones, with the ETag of the item', async () => {
      const { item, ids } = await createWith(2);
      const etag = await etagOf(item);
      const older = await version(item, ids[0]!).expect(200);
      expect(older.body).toMatchObject({ _id: ids[0], _version: 1, _isTip: false, _userData: { first: true } });
      expect(older.headers.etag).toBe(etag);
      expect((await list(item))._list).toEqual([(await version(item, ids[1]!)).body, older.body]);
      await version(item, ids[0]!).set('if-none-match', etag).expect(304);
      await send('get', `/${item._userItemId}/versions/${ids[0]}`).expect(200, older.body);
    });

    it('only of its own item', async () => {
      const { item, ids } = await createWith(1);
      const other: Shown = await createOne();
      await version(other, ids[0]!).expect(404);
      const missing = await version(item, 'unknown').expect(404);
      expect(missing.body.message).toBe('The item has no such version.');
      await change(other, ids[0]!, {}).expect(404);
      await remove(other, ids[0]!).expect(404);
      await change(item, 'unknown', {}).expect(404);
      await remove(item, '6b01e9fb590ff35d0952a9ce').expect(404);
    });
  });

  describe('is changed', () => {
    it.each([
      ['the latest', 1],
      ['an older one', 0],
    ])('(%s) as far as fields are sent, with a 201', async (_which, place) => {
      const { item, ids } = await createWith(2);
      const id = ids[place]!;
      const before = (await version(item, id)).body;
      const _userAttributes = { list: [{ x: null }] };
      const _userData = { $ref: 1, 'a.b': { $gt: 2 } };
      const response = await change(item, id, { _userAttributes, _userData, stray: 1, _version: 9 }).expect(201);
      expect(response.body).toEqual({
        ...before,
        _userAttributes,
        _userData,
        _metadata: expect.objectContaining({ _updatedById: 'olga' }),
      });
      expect((await version(item, id)).body).toEqual(response.body);
      expect((await change(item, id, { _userData: 'text' }).expect(201)).body).toMatchObject({
        _userAttributes,
        _userData: 'text',
      });
      expect(await numbers(item)).toEqual(['2 tip', 1]);
      const { body } = await get(item._id, { '_versions.all': true });
      expect(body).toMatchObject({ _tipId: ids[1], _tipVersion: 2, _nextVersion: 3, _versionsCount: 2 });
      expect(body._versions[1 - place]).toMatchObject({ _id: id, _userData: 'text' });
    });

    it('only on the revision of the item that the caller expects', async () => {
      const { item, ids } = await createWith(2);
      const etag = await etagOf(item);
      await change(item, ids[0]!, { _userData: 'a' }).set('if-match', etag).expect(201);
      await change(item, ids[1]!, { _userData: 'b' }).set('if-match', etag).expect(412);
      await remove(item, ids[0]!).set('if-match', etag).expect(412);
      await send('post', `/${item._id}/versions`).set('if-match', etag).send({}).expect(412);
      const latest = await etagOf(item);
      const responses = await Promise.all(
        ['x', 'y', 'z'].map((_userData) => change(item, ids[0]!, { _userData }).set('if-match', latest)),
      );
      expect(responses.map(({ status }) => status).sort()).toEqual([201, 412, 412]);
    });

    it.each([
      ['attributes that are no object', { _userAttributes: [] }],
      ['attributes with a dot in a key', { _userAttributes: { a: [{ 'b.c': 1 }] } }],
      ['attributes with an operator', { _userAttributes: { a: { $gt: 1 } } }],
      ['data that is a number', { _userData: 1 }],
      ['an array', []],
    ])('but not to %s', async (_what, body) => {
      const { item, ids } = await createWith(1);
      const response = await change(item, ids[0]!, body).expect(400);
      expect(response.body).toMatchObject({ status: 400, code: 'BAD_REQUEST', requestId: expect.any(String) });
    });

    it('but not beyond 8 MiB', async () => {
      const { item, ids } = await createWith(1);
      const response = await change(item, ids[0]!, { _userData: 'x'.repeat(8.1 * 1024 * 1024) }).expect(413);
      expect(response.body.code).toBe('VERSION_TOO_LARGE');
    });
  });

  describe('is deleted', () => {
    it('and the one before becomes the latest; its number is used again', async () => {
      const { item, ids } = await createWith(3);
      await remove(item, ids[2]!).expect(204);
      expect(await numbers(item)).toEqual(['2 tip', 1]);
      expect((await get(item._id)).body).toMatchObject({
        ...{ _tipId: ids[1], _tipVersion: 2, _nextVersion: 3, _versionsCount: 2 },
        _versions: [{ _id: ids[1], _isTip: true, _userAttributes: { step: 2 } }],
      });
      await version(item, ids[2]!).expect(404);
      expect((await add(item))._version).toBe(3);
      expect(await numbers(item)).toEqual(['3 tip', 2, 1]);
    });

    it('and the latest stays when it is an older one', async () => {
      const { item, ids } = await createWith(3);
      await remove(item, ids[1]!).expect(204);
      expect(await numbers(item)).toEqual(['3 tip', 1]);
      await remove(item, ids[2]!).expect(204);
      expect((await get(item._id)).body).toMatchObject({ _tipVersion: 1, _nextVersion: 2, _versionsCount: 1 });
    });

    it('unless it is the only one', async () => {
      const { item, ids } = await createWith(1);
      expect((await remove(item, ids[0]!).expect(400)).body.code).toBe('LAST_VERSION');
      const second = await add(item);
      const responses = await Promise.all([remove(item, ids[0]!), remove(item, second._id)]);
      expect(responses.map(({ status }) => status).sort()).toEqual([204, 400]);
      expect((await list(item))._total).toBe(1);
    });

    it('and is not found by queries any more', async () => {
      const { item, ids } = await createWith(2);
      const query = { _id: item._id, '_versions.all': true, '_versions._userAttributes.step': 2 };
      const total = async () => (await send('get', '', { query: JSON.stringify(query) }).expect(200)).body._total;
      expect(await total()).toBe(1);
      await remove(item, ids[1]!).expect(204);
      expect(await total()).toBe(0);
    });
  });

  it('needs EDIT to be changed and DELETE to be deleted', async () => {
    const { item, ids } = await createWith(2);
    const eve = { authorization: await app.as('eve') };
    await version(item, ids[0]!).set(eve).expect(200);
    await change(item, ids[0]!, {}).set(eve).expect(403);
    await remove(item, ids[0]!).set(eve).expect(403);
    const stranger = await app.caller('stella', NS, ['*'], 'filesvc:file:*');
    await version(item, ids[0]!).set(stranger).expect(404);
    await change(item, ids[0]!, {}).set(stranger).expect(404);
    await remove(item, ids[0]!).set(stranger).expect(404);
  });

  it('is refused alone when those of other items are added at the same time', async () => {
    const items: Shown[] = await Promise.all(Array.from({ length: 8 }, () => createOne()));
    const stale = items[3]!;
    const responses = await Promise.all(
      items.map((item) => {
        const call = send('post', `/${item._id}/versions`);
        return (item === stale ? call.set('if-match', '"99"') : call).send({});
      }),
    );
    expect(responses.map(({ status }) => status)).toEqual(items.map((item) => (item === stale ? 412 : 201)));
    for (const item of items) expect((await list(item))._total).toBe(item === stale ? 1 : 2);
  });

  it('has the next number, without gaps or doubles, when many are added at once', async () => {
    const { item } = await createWith(1);
    const responses = await Promise.all(
      Array.from({ length: 30 }, () => send('post', `/${item._id}/versions`, { transactional: true }).send({})),
    );
    expect(responses.map(({ status }) => status)).toEqual(responses.map(() => 201));
    const found = responses.map(({ body }) => body._version as number).sort((a, b) => a - b);
    expect(found).toEqual(found.map((_, place) => place + 2));
    expect((await get(item._id)).body).toMatchObject({ _versionsCount: 31, _tipVersion: 31, _nextVersion: 32 });
  });

  it('has it also when several processes add them', async () => {
    const { item } = await createWith(1);
    const second = await app.startInstance();
    const add = ({ api }: Pick<TestApp, 'api'>) =>
      api.post(`${ITEMS}/${item._id}/versions`).query({ nsfilter: NS }).set(owner).send({});
    const responses = await Promise.all(Array.from({ length: 12 }, (_, n) => add(n % 2 === 0 ? app : second)));
    expect(responses.map(({ status }) => status)).toEqual(responses.map(() => 201));
    expect(await numbers(item)).toEqual(['13 tip', 12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1]);
    await second.stop();
  });

  it('keeps the numbers of an item consecutive while versions come and go', async () => {
    const { item, ids } = await createWith(3);
    const writes = [0, 1, 2, 3, 4, 5].flatMap(() => [send('post', `/${item._id}/versions`).send({})]);
    const removals = ids.map((id) => remove(item, id));
    for (const { status } of await Promise.all([...writes, ...removals])) expect([201, 204]).toContain(status);
    const { _list, _total } = await list(item);
    expect(_total).toBe(6);
    expect(new Set(_list.map(({ _version }) => _version)).size).toBe(6);
    expect(_list.filter(({ _isTip }) => _isTip)).toEqual([_list[0]]);
    expect((await get(item._id)).body).toMatchObject({
      ...{ _versionsCount: 6, _tipVersion: _list[0]!._version, _nextVersion: _list[0]!._version + 1 },
      _tipId: _list[0]!._id,
    });
  });

  describe('is logged with its item', () => {
    const logs = (item: Shown, query: object = {}) => send('get', `/${item._id}/updatelogs`, query);

    it('each time that either is written, oldest first', async () => {
      const item: Shown = await createOne();
      await logs(item).expect(200, []);
      const { _itemClass, _shortName, ...fields } = doors();
      await send('put', `/${item._id}`)
        .send({ ...fields, _name: 'Gates' })
        .expect(204);
      const second = await add(item);
      await app.caller('emil', NS, ['READ', 'EDIT']);
      await change(item, second._id, { _userData: 'x' })
        .set({ authorization: await app.as('emil') })
        .expect(201);
      await remove(item, second._id).expect(204);
      const all = (await logs(item).expect(200)).body as { _updatedBy: string; _updatedAt: number }[];
      expect(all.map(({ _updatedBy }) => _updatedBy)).toEqual(['olga', 'olga', 'emil', 'olga']);
      expect(all.map(({ _updatedAt }) => _updatedAt)).toEqual(all.map(({ _updatedAt }) => _updatedAt).sort());
      expect(all.at(-1)).toEqual({ _updatedBy: 'olga', _updatedAt: (await get(item._id)).body._metadata._updatedAt });
      await logs(item, { userItemVersionId: second._id }).expect(200, all.slice(1));
      await logs(item, { userItemVersionId: item._tipId }).expect(200, []);
      await send('get', `/${item._userItemId}/updatelogs`).expect(200, all);
    });

    it('but not when a write is refused, or for other callers', async () => {
      const item: Shown = await createOne();
      await change(item, item._tipId, {}).set('if-match', '"99"').expect(412);
      await remove(item, item._tipId).expect(400);
      await logs(item).expect(200, []);
      await send('get', '/unknown/updatelogs').expect(404);
      await logs(item)
        .set(await app.caller('stella', NS, ['*'], 'filesvc:file:*'))
        .expect(404);
      await logs(item, { userItemVersionId: '' }).expect(400);
    });

    it('up to a number of writes; the latest are kept', async () => {
      const item: Shown = await createOne();
      const items = app.mongo.db.collection<{ _id: string }>('items');
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
});
