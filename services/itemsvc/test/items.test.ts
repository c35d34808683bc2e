import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { doors, itemClient, ITEMS, NS, OTHER } from './item-client.js';
import { startApp } from './start-app.js';
import type { TestApp } from './start-app.js';

let app: TestApp;
let owner: { authorization: string };

beforeAll(async () => {
  app = await startApp();
  owner = await app.caller('olga', NS);
  await app.caller('olga', OTHER);
});
afterAll(() => app.stop());

describe('named user items', () => {
  const { create, createOne, get, list, send } = itemClient(() => ({ app, owner }));

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
      const responses = await Promise.all(
        ids.map((id: string, n: number) => get(id, n % 5 === 0 ? { nsfilter: OTHER } : {})),
      );
      const expected = ids.map((_id: string, n: number) => (n % 5 === 0 ? undefined : items[Math.floor(n / 2)]._id));
      expect(responses.map(({ body }) => body._id)).toEqual(expected);
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

    it('has no entity tag as a projection', async () => {
      const item = await createOne();
      const response = await get(item._id, { project: '{"_name":1}' }).set('if-none-match', '"0"').expect(200);
      expect(response.headers).not.toHaveProperty('etag');
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
      const response = await put(item._id, { ...change, _shortName: 'other', _itemClass: 'Script', _id: 'x' }).expect(
        204,
      );
      expect(response.text).toBe('');
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

describe('creating named user items', () => {
  const { create, createOne, get, list } = itemClient(() => ({ app, owner }));

  describe('POST', () => {
    it('creates what several callers send at the same time, each its own', async () => {
      const names = Array.from({ length: 40 }, (_, n) => `Room ${n}`);
      const responses = await Promise.all(names.map((_name) => create([doors({ _name })]).expect(201)));
      expect(responses.map(({ body }) => body._list[0]._name)).toEqual(names);
      for (const { body } of responses) await get(body._list[0]._id).expect(200, body._list[0]);
    });

    it('creates items with their first version and shows them as GET does', async () => {
      const _version = { _userAttributes: { level: 3, tags: ['a'] }, _userData: { note: 'x' } };
      const before = Date.now();
      const response = await create([
        doors({ _version, stray: 1, _kind: 'collection' }),
        doors({ _name: 'Windows' }),
      ]).expect(201);
      expect(response.body).toMatchObject({ _offset: 0, _pageSize: 2, _total: 2, _failures: [] });
      const [item, second] = response.body._list;
      expect(item).toEqual({
        ...doors({ _kind: 'collection' }),
        _id: expect.stringMatching(/^[0-9a-f]{24}$/),
        _userItemId: expect.stringMatching(/^doors_[\w-]{8,}$/),
        _uri: `/nameduseritems/${item._id}`,
        _irn: `itemsvc:nameduseritem:${item._id}`,
        _tipId: item._versions[0]._id,
        _tipVersion: 1,
        _nextVersion: 2,
        _versionsCount: 1,
        _versions: [
          {
            _id: expect.any(String),
            _userItemDbId: item._id,
            _isTip: true,
            _version: 1,
            ..._version,
            _metadata: item._metadata,
          },
        ],
        _metadata: {
          _createdAt: expect.any(Number),
          _updatedAt: item._metadata._createdAt,
          _createdById: 'olga',
          _updatedById: 'olga',
        },
      });
      expect(item._metadata._createdAt).toBeGreaterThanOrEqual(before);
      expect(second._userItemId).not.toBe(item._userItemId);
      expect((await get(item._id).expect(200)).body).toEqual(item);
      expect((await get(item._userItemId).expect(200)).body).toEqual(item);
    });

    it.each([
      ['NamedCompositeItem', { _userAttributes: {} }],
      ['NamedFileCollection', undefined],
      ['NamedUserCollection', undefined],
      ['NamedTelemetryCollection', undefined],
      ['Script', { _userData: 'export function main() {}' }],
      ['UserConfig', { _userData: { theme: 'dark', $schema: 'x', 'a.b': 1 } }],
    ])('creates a %s', async (_itemClass, _version) => {
      const item = await createOne({ _itemClass, _version });
      expect(item).toMatchObject({ _itemClass, _versions: [{ ..._version }] });
      expect((await get(item._id)).body).toEqual(item);
    });

    it.each([
      ['NamedCompositeItem', {}],
      ['NamedCompositeItem', { _version: { _userData: {} } }],
      ['Script', {}],
      ['UserConfig', { _version: { _userAttributes: {} } }],
      ['Spreadsheet', {}],
    ])('refuses a %s with %j', async (_itemClass, more) => {
      const response = await create([doors({ _itemClass, ...more })]).expect(400);
      expect(response.body).toMatchObject({
        status: 400,
        code: 'BAD_REQUEST',
        errors: [{ location: expect.stringMatching(/^body\.0\./) }],
      });
    });

    it('keeps the time-series properties of telemetry collections, and of no others', async () => {
      const _tsProperties = { _granularity: 'minutes', _expiry: 3600 };
      expect(await createOne({ _itemClass: 'NamedTelemetryCollection', _tsProperties })).toMatchObject({
        _tsProperties,
      });
      expect(await createOne({ _tsProperties })).not.toHaveProperty('_tsProperties');
    });

    it.each(['_name', '_shortName', '_description', '_namespaces', '_userType', '_itemClass'])(
      'refuses an item without %s',
      async (field) => {
        const response = await create([doors(), doors({ [field]: undefined })]).expect(400);
        expect(response.body.errors).toEqual([{ location: `body.1.${field}`, message: expect.any(String) }]);
      },
    );

    it.each([
      ['a short name of 23 characters', [doors({ _shortName: 'x'.repeat(23) })]],
      ['no namespaces', [doors({ _namespaces: [] })]],
      ['attributes that are no object', [doors({ _version: { _userAttributes: [1] } })]],
      ['a version that is no object', [doors({ _version: 'v1' })]],
      ['an object', doors()],
      ['an empty array', []],
      ['1001 items', Array.from({ length: 1001 }, () => doors())],
      ['a number', [7]],
    ])('refuses %s', async (_what, body) => {
      const response = await create(body).expect(400);
      expect(response.body).toMatchObject({ status: 400, requestId: expect.any(String) });
    });

    it('writes nothing when one of the entries is not valid', async () => {
      const before = (await list()).body._total;
      await create([doors(), doors({ _name: '' })]).expect(400);
      await create([doors(), doors({ _name: '' })], { transactional: true }).expect(400);
      expect((await list()).body._total).toBe(before);
    });

    it('leaves out entries that are too large, or writes nothing in a transactional call', async () => {
      const before = (await list()).body._total;
      // 2 bytes of JSON, 11 bytes of BSON for each.
      const huge = doors({ _version: { _userData: new Array(900_000).fill(1) } });
      const partly = await create([huge, doors()]).expect(201);
      expect(partly.body).toMatchObject({ _total: 1, _failures: [{ index: 0, code: 'VERSION_TOO_LARGE' }] });
      const rejected = await create([huge, doors()], { transactional: true }).expect(400);
      expect(rejected.body).toMatchObject({ code: 'NOTHING_WRITTEN', errors: [{ location: 'body.0' }] });
      await create([huge]).expect(400);
      expect((await list()).body._total).toBe(Number(before) + 1);
    });

    it('creates all in one transaction, without a list of failures', async () => {
      const response = await create([doors(), doors()], { transactional: true }).expect(201);
      expect(response.body._list).toHaveLength(2);
      expect(response.body).not.toHaveProperty('_failures');
      const many = Array.from({ length: 1000 }, (_, n) => doors({ _userType: 'of a thousand', _shortName: `d${n}` }));
      const { body } = await create(many, { transactional: true }).expect(201);
      expect(body._total).toBe(1000);
      expect((await list({ query: { _userType: 'of a thousand' } })).body._total).toBe(1000);
    });

    it('refuses a body over 10 MiB', async () => {
      const huge = doors({ _version: { _userData: { text: 'x'.repeat(11 * 1024 * 1024) } } });
      await create([huge]).expect(413);
    });

    it('refuses an nsfilter that is not among the namespaces of an entry', async () => {
      const response = await create([doors(), doors({ _namespaces: [OTHER] })]).expect(400);
      expect(response.body.code).toBe('NAMESPACE_NOT_INCLUDED');
    });

    it('repeats the first reply for a repeated idempotency key', async () => {
      const key = { 'idempotency-key': 'create-once' };
      const first = await create([doors()]).set(key).expect(201);
      const second = await create([doors()]).set(key).expect(201);
      expect(second.body).toEqual(first.body);
    });
  });
});
