import { describe, expect, it } from '@jest/globals';
import { changeOf, doors, itemClient, UNKNOWN } from './item-client.js';
import { NS, openApp, OTHER } from './start-app.js';

const here = await openApp(NS, OTHER);
const { create, createOne, get, list, put, send, addVersion } = itemClient(here);

describe('reading an item', () => {
  it('returns only the projected fields', async () => {
    const item = await createOne({ _version: { _userAttributes: { a: 1, b: 2 } } });
    const projected = async (project: object, more: object = {}) =>
      (await get(item._id, { project: JSON.stringify(project), ...more }).expect(200)).body;
    const { _metadata, ...rest } = item;
    const { _id } = item;
    expect(await projected({ _metadata: 0 })).toEqual(rest);
    expect(await projected({ _name: 1 })).toEqual({ _id, _name: 'Doors' });
    expect(await projected({ _name: 1, _id: 0 })).toEqual({ _name: 'Doors' });
    const ofAttribute = { '_versions._userAttributes.b': 1 };
    for (const versions of [{}, { '_versions.all': true }])
      expect(await projected(ofAttribute, versions)).toEqual({ _id, _versions: [{ _userAttributes: { b: 2 } }] });
    expect(await projected({ _versions: 0 }, { '_versions.all': true })).not.toHaveProperty('_versions');
    expect(await projected({ _tip: 1 })).toEqual({ _id });
  });

  it('returns each of many concurrent callers its own item, and a 404 in another namespace', async () => {
    const items = (await create(Array.from({ length: 50 }, (_, n) => doors({ _name: `door ${n}` })))).body._list;
    const ids = items.flatMap(({ _id, _userItemId }: { _id: string; _userItemId: string }) => [_id, _userItemId]);
    const responses = await Promise.all(
      ids.map((id: string, n: number) => get(id, n % 5 === 0 ? { nsfilter: OTHER } : {})),
    );
    const expected = ids.map((_id: string, n: number) => (n % 5 === 0 ? undefined : items[Math.floor(n / 2)]._id));
    expect(responses.map(({ body }) => body._id)).toEqual(expected);
    expect(responses.filter(({ status }) => status === 404)).toHaveLength(20);
  });

  it('has a new entity tag after each write, and none as a projection', async () => {
    const { _id, _name, _description, _userType } = await createOne();
    const { etag } = (await get(_id)).headers;
    await put(_id, { _name, _description, _userType }).expect(204);
    const second = await get(_id).set('if-none-match', etag!).expect(200);
    await addVersion(_id);
    await get(_id).set('if-none-match', second.headers.etag!).expect(200);
    const projected = await get(_id, { project: '{"_name":1}' }).set('if-none-match', '"2"').expect(200);
    expect(projected.headers).not.toHaveProperty('etag');
  });
});

describe('changing and deleting an item', () => {
  it('changes four fields and no others', async () => {
    const item = await createOne();
    const response = await put(item._id, { _shortName: 'other', _itemClass: 'Script', _id: 'x' }).expect(204);
    expect(response.text).toBe('');
    const changed = (await get(item._id)).body;
    expect(changed).toEqual({ ...item, ...changeOf(), _metadata: changed._metadata });
    expect(changed._metadata).toMatchObject({ _createdAt: item._metadata._createdAt, _updatedById: 'olga' });
    expect(changed._metadata._updatedAt).toBeGreaterThanOrEqual(item._metadata._updatedAt);
    await put(item._userItemId, { _name: 'Again' }).expect(204);
    expect((await get(item._id)).body._name).toBe('Again');
    await put(item._id, { _namespaces: [OTHER] }).expect(400);
  });

  it('accepts one of several concurrent writes with the same If-Match', async () => {
    const { _id } = await createOne();
    const ifMatch = async () => (await get(_id)).headers.etag!;
    const statuses = async (...requests: (() => PromiseLike<{ status: number }>)[]) =>
      (await Promise.all(requests.map(async (request) => (await request()).status))).sort();

    const first = await ifMatch();
    const update = () => put(_id).set('if-match', first);
    expect(await statuses(...Array(6).fill(update))).toEqual([204, 412, 412, 412, 412, 412]);

    const second = await ifMatch();
    const add = () => send('post', `/${_id}/versions`).set('if-match', second).send({});
    expect(await statuses(add, add, add, add)).toEqual([201, 412, 412, 412]);

    const third = await ifMatch();
    const change = () => put(_id).set('if-match', third);
    const remove = () => send('delete', `/${_id}`).set('if-match', third);
    const [best, ...others] = await statuses(change, remove, change, remove);
    expect(best).toBe(204);
    for (const status of others) expect([404, 412]).toContain(status);
  });

  it.each(['NamedCompositeItem', 'NamedFileCollection', 'NamedTelemetryCollection', 'Script'])(
    'hides a deleted %s from every call at once',
    async (_itemClass) => {
      const item = await createOne({ _itemClass, _version: { _userAttributes: {}, _userData: {} } });
      const before = (await list()).body._total;
      await send('delete', `/${item._userItemId}`, { transactional: true }).expect(204, '');
      expect((await list()).body._total).toBe(before - 1);
      await send('delete', `/${item._id}`).expect(404);
      await put(item._id).expect(404);
      await send('post', `/${item._id}/versions`).send({}).expect(404);
      const parts = ['versions', `versions/${item._tipId}`, 'updatelogs', 'relateditems', 'relatedcollections'];
      for (const path of ['', ...parts]) await get(`${item._id}/${path}`, { query: '{}' }).expect(404);
    },
  );
});

describe('creating items', () => {
  it('creates the items of each concurrent request', async () => {
    const names = Array.from({ length: 40 }, (_, n) => `Room ${n}`);
    const responses = await Promise.all(names.map((_name) => create([doors({ _name })]).expect(201)));
    expect(responses.map(({ body }) => body._list[0]._name)).toEqual(names);
    for (const { body } of responses) await get(body._list[0]._id).expect(200, body._list[0]);
  });

  it('returns the items with their first version, as GET does', async () => {
    const _version = { _userAttributes: { level: 3, tags: ['a'] }, _userData: { note: 'x' } };
    const before = Date.now();
    const drafts = [doors({ _version, stray: 1, _kind: 'collection' }), doors({ _name: 'Windows' })];
    const response = await create(drafts).expect(201);
    expect(response.body).toMatchObject({ _offset: 0, _pageSize: 2, _total: 2, _failures: [] });
    const [item, second] = response.body._list;
    const [{ _id }] = item._versions;
    expect(item).toEqual({
      ...doors({ _kind: 'collection' }),
      _id: expect.stringMatching(/^[0-9a-f]{24}$/),
      _userItemId: expect.stringMatching(/^doors_[\w-]{8,}$/),
      _uri: `/nameduseritems/${item._id}`,
      _irn: `itemsvc:nameduseritem:${item._id}`,
      ...{ _tipId: _id, _tipVersion: 1, _nextVersion: 2, _versionsCount: 1 },
      _versions: [{ ..._version, _id, _userItemDbId: item._id, _isTip: true, _version: 1, _metadata: item._metadata }],
      _metadata: {
        ...{ _createdAt: expect.any(Number), _updatedAt: item._metadata._createdAt },
        ...{ _createdById: 'olga', _updatedById: 'olga' },
      },
    });
    expect(item._metadata._createdAt).toBeGreaterThanOrEqual(before);
    expect(second._userItemId).not.toBe(item._userItemId);
    expect((await get(item._id).expect(200)).body).toEqual(item);
    expect((await get(item._userItemId).expect(200)).body).toEqual(item);
  });

  it.each([
    { _itemClass: 'NamedCompositeItem' },
    { _itemClass: 'Script' },
    { _itemClass: 'UserConfig', _version: { _userAttributes: {} } },
  ])('rejects an item with %j', async (more) => {
    const response = await create([doors(more)]).expect(400);
    const errors = [{ location: expect.stringMatching(/^body\.0\./) }];
    expect(response.body).toMatchObject({ status: 400, code: 'BAD_REQUEST', errors });
  });

  it('stores time-series properties of telemetry collections only', async () => {
    const _tsProperties = { _granularity: 'minutes', _expiry: 3600 };
    const collection = await createOne({ _itemClass: 'NamedTelemetryCollection', _tsProperties });
    expect(collection).toMatchObject({ _tsProperties });
    expect(await createOne({ _tsProperties })).not.toHaveProperty('_tsProperties');
  });

  it('writes nothing if an entry is invalid', async () => {
    const before = (await list()).body._total;
    for (const query of [{}, { transactional: true }]) {
      await create([doors(), doors({ _name: '' })], query).expect(400);
      const response = await create([doors(), doors({ _namespaces: [OTHER] })], query).expect(400);
      expect(response.body.code).toBe('NAMESPACE_NOT_INCLUDED');
    }
    expect((await list()).body._total).toBe(before);
  });

  it('leaves out entries that are too large, or writes nothing if transactional', async () => {
    const before = (await list()).body._total;
    // 2 bytes of JSON, but 11 bytes of BSON each.
    const huge = doors({ _version: { _userData: new Array(900_000).fill(1) } });
    const partly = await create([huge, doors()]).expect(201);
    expect(partly.body).toMatchObject({ _total: 1, _failures: [{ index: 0, code: 'VERSION_TOO_LARGE' }] });
    const rejected = await create([huge, doors()], { transactional: true }).expect(400);
    expect(rejected.body).toMatchObject({ code: 'NOTHING_WRITTEN', errors: [{ location: 'body.0' }] });
    await create([huge]).expect(400);
    expect((await list()).body._total).toBe(Number(before) + 1);
  });

  it('creates up to 1000 items, in one transaction and without failures if transactional', async () => {
    const many = Array.from({ length: 1000 }, (_, n) => doors({ _userType: 'of a thousand', _shortName: `d${n}` }));
    const { body } = await create(many, { transactional: true }).expect(201);
    expect(body).toMatchObject({ _total: 1000 });
    expect(body).not.toHaveProperty('_failures');
    expect((await list({ query: { _userType: 'of a thousand' } })).body._total).toBe(1000);
    await create([...many, doors()]).expect(400);
    await get(UNKNOWN).expect(404);
  });
});
