import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { doors, itemClient, ITEMS, NS, OTHER } from './item-client.js';
import { startApp } from './start-app.js';
import type { TestApp } from './start-app.js';

describe('named user items', () => {
  let app: TestApp;
  let owner: { authorization: string };
  const { create, createOne, get, list, send } = itemClient(() => ({ app, owner }));

  beforeAll(async () => {
    app = await startApp();
    owner = await app.caller('olga', NS);
    await app.caller('olga', OTHER);
  });
  afterAll(() => app.stop());

  describe('GET by id', () => {
    it('projects', async () => {
      const item = await createOne({ _version: { _userAttributes: { a: 1, b: 2 } } });
      const projected = async (project: object, more: object = {}) =>
        (await get(item._id, { project: JSON.stringify(project), ...more }).expect(200)).body;
      const { _metadata, ...rest } = item;
      expect(await projected({ _metadata: 0 })).toEqual(rest);
      expect(await projected({ _name: 1 })).toEqual({ _id: item._id, _name: 'Doors' });
      expect(await projected({ _name: 1, _id: 0 })).toEqual({ _name: 'Doors' });
      expect(await projected({ _id: 0, _namespaces: 0, _irn: 0 })).not.toHaveProperty('_id');
      expect(await projected({ '_versions._userAttributes.b': 1 })).toEqual({
        _id: item._id,
        _versions: [{ _userAttributes: { b: 2 } }],
      });
      expect(await projected({ '_versions._version': 1 }, { '_versions.all': true })).toEqual({
        _id: item._id,
        _versions: [{ _version: 1 }],
      });
      expect(await projected({ _versions: 0 }, { '_versions.all': true })).not.toHaveProperty('_versions');
      expect(await projected({ _tip: 1 })).toEqual({ _id: item._id });
    });

    it('answers many concurrent calls, each with its own item', async () => {
      const items = (await create(Array.from({ length: 50 }, (_, n) => doors({ _name: `door ${n}` })))).body._list;
      const ids = items.flatMap(({ _id, _userItemId }: { _id: string; _userItemId: string }) => [_id, _userItemId]);
      const replies = await Promise.all(
        ids.map((id: string, n: number) => get(id, n % 5 === 0 ? { nsfilter: OTHER } : {})),
      );
      const expected = ids.map((_id: string, n: number) => (n % 5 === 0 ? undefined : items[Math.floor(n / 2)]._id));
      expect(replies.map(({ body }) => body._id)).toEqual(expected);
    });

    it('has its revision as entity tag', async () => {
      const item = await createOne();
      const { etag } = (await get(item._id)).headers;
      expect(etag).toBe('"0"');
      await get(item._id).set('if-none-match', etag!).expect(304);
    });

    it('has a new entity tag after a write, even one that changes nothing else', async () => {
      const item = await createOne();
      const { etag } = (await get(item._id)).headers;
      const same = { _name: item._name, _description: item._description, _namespaces: [NS], _userType: item._userType };
      await app.api.put(`${ITEMS}/${item._id}`).query({ nsfilter: NS }).set(owner).send(same).expect(204);
      const second = await get(item._id).set('if-none-match', etag!).expect(200);
      await app.api.post(`${ITEMS}/${item._id}/versions`).query({ nsfilter: NS }).set(owner).send({}).expect(201);
      await get(item._id).set('if-none-match', second.headers.etag!).expect(200);
    });

    it('has revision 0 when a pod of the previous version created it during an upgrade', async () => {
      const item = await createOne();
      await app.mongo.db
        .collection<{ _id: string }>('items')
        .updateOne({ _id: item._id }, { $unset: { _revision: 1 } });
      expect((await get(item._id)).headers.etag).toBe('"0"');
      const change = { _name: 'Gates', _description: '', _namespaces: [NS], _userType: 'gates' };
      const put = () => app.api.put(`${ITEMS}/${item._id}`).query({ nsfilter: NS }).set(owner).send(change);
      await put().set('if-match', '"1"').expect(412);
      await put().set('if-match', '"0"').expect(204);
      expect((await get(item._id)).headers.etag).toBe('"1"');
    });

    it('has no entity tag as a projection', async () => {
      const item = await createOne();
      const reply = await get(item._id, { project: '{"_name":1}' }).set('if-none-match', '"0"').expect(200);
      expect(reply.headers).not.toHaveProperty('etag');
    });

    it('is a 404 for an item of another namespace and for one that does not exist', async () => {
      const item = await createOne();
      await get(item._id, { nsfilter: OTHER }).expect(404);
      await get(item._id, { nsfilter: OTHER, project: '{"_name":1}' }).expect(404);
      await get('6b01e9fb590ff35d0952a9ce').expect(404);
      await get('doors_unknown').expect(404);
      await get('%00').expect(404);
    });
  });

  describe('PUT', () => {
    const change = { _name: 'Gates', _description: 'All gates.', _namespaces: [NS], _userType: 'gate_list' };
    const put = (id: string, body: object, query: object = {}) =>
      app.api
        .put(`${ITEMS}/${id}`)
        .query({ nsfilter: NS, ...query })
        .set(owner)
        .send(body);

    it('changes the four fields and no others', async () => {
      const item = await createOne();
      const reply = await put(item._id, { ...change, _shortName: 'other', _itemClass: 'Script', _id: 'x' }).expect(204);
      expect(reply.text).toBe('');
      const changed = (await get(item._id)).body;
      expect(changed).toEqual({ ...item, ...change, _metadata: changed._metadata });
      expect(changed._metadata).toMatchObject({ _createdAt: item._metadata._createdAt, _updatedById: 'olga' });
      expect(changed._metadata._updatedAt).toBeGreaterThanOrEqual(item._metadata._updatedAt);
      await put(item._userItemId, { ...change, _name: 'Again' }).expect(204);
      expect((await get(item._id)).body._name).toBe('Again');
    });

    it.each(['_name', '_description', '_namespaces', '_userType'])('needs %s', async (field) => {
      const item = await createOne();
      await put(item._id, { ...change, [field]: undefined }).expect(400);
    });

    it('moves items between namespaces', async () => {
      const item = await createOne({ _name: 'moving' });
      await put(item._id, { ...change, _namespaces: [OTHER] }).expect(400);
      await put(item._id, { ...change, _namespaces: [NS, OTHER] }).expect(204);
      await put(item._id, { ...change, _namespaces: [OTHER] }, { nsfilter: OTHER }).expect(204);
      await get(item._id).expect(404);
      await get(item._id, { nsfilter: OTHER }).expect(200);
    });

    it('refuses a change to what has changed in between', async () => {
      const item = await createOne();
      const { etag } = (await get(item._id)).headers;
      await put(item._id, change).set('if-match', etag!).expect(204);
      await put(item._id, change).set('if-match', etag!).expect(412);
    });

    it('refuses all but one of several changes to the same state, though they come at the same time', async () => {
      const item = await createOne();
      const path = `${ITEMS}/${item._id}`;
      const ifMatch = async () => ({ ...owner, 'if-match': (await get(item._id)).headers.etag! });
      const query = { nsfilter: NS };
      const statuses = async (...requests: (() => PromiseLike<{ status: number }>)[]) =>
        (await Promise.all(requests.map(async (send) => (await send()).status))).sort();

      const first = await ifMatch();
      const update = () => put(item._id, change).set(first);
      expect(await statuses(...Array.from({ length: 6 }, () => update))).toEqual([204, 412, 412, 412, 412, 412]);

      const second = await ifMatch();
      const version = { _userAttributes: { n: 1 } };
      const add = () => app.api.post(`${path}/versions`).query(query).set(second).send(version);
      expect(await statuses(add, add, add, add)).toEqual([201, 412, 412, 412]);

      const third = await ifMatch();
      const remove = () => app.api.delete(path).query(query).set(third);
      const change2 = () => put(item._id, change).set(third);
      const [best, ...others] = await statuses(change2, remove, change2, remove);
      expect(best).toBe(204);
      for (const status of others) expect([404, 412]).toContain(status);
    });

    it('is a 404 for an item of any class that has been deleted, like every other call', async () => {
      for (const _itemClass of ['NamedCompositeItem', 'NamedFileCollection', 'NamedTelemetryCollection', 'Script']) {
        const _version = { _userAttributes: {}, _userData: {} };
        const item = await createOne({ _itemClass, _version });
        await send('delete', `/${item._userItemId}`, { transactional: true }).expect(204);
        await send('delete', `/${item._id}`).expect(404);
        await send('put', `/${item._id}`).send(change).expect(404);
        await send('post', `/${item._id}/versions`).send({}).expect(404);
        const paths = [
          '',
          '/versions',
          `/versions/${item._tipId}`,
          '/updatelogs',
          '/relateditems',
          '/relatedcollections',
        ];
        for (const path of paths) await send('get', `/${item._id}${path}`, { query: '{}' }).expect(404);
      }
    });

    it('is a 404 for an item that does not exist', async () => {
      await put('6b01e9fb590ff35d0952a9ce', change).expect(404);
    });
  });

  describe('DELETE', () => {
    it('removes an item at once', async () => {
      const item = await createOne();
      const before = (await list()).body._total;
      const path = `${ITEMS}/${item._id}`;
      await app.api.delete(path).query({ nsfilter: NS }).set(owner).expect(204, '');
      await app.api.delete(path).query({ nsfilter: NS }).set(owner).expect(404);
      await get(item._id).expect(404);
      expect((await list()).body._total).toBe(before - 1);
    });
  });
});
