import { beforeAll, describe, expect, it } from '@jest/globals';
import { BSON } from '@dtplatform/mongo';
import { itemClient, times, UNKNOWN } from './item-client.js';
import { NS, openApp, OTHER } from './start-app.js';
import { sumsBy, usageInOutbox } from './usage-client.js';

const here = await openApp(NS, OTHER);
const { app, owner } = here;
const { send, createOne, addRows, addVersion, rows, rowsOf } = itemClient(here);

const add = (id: string, body: unknown, query: object = {}) =>
  send('post', `/${id}/relateditems`, query).send(body as object);
const fileCollection = () => createOne({ _itemClass: 'NamedFileCollection' });

describe('adding related items', () => {
  it('stores file items with any other fields, and asks filesvc for the files as the caller', async () => {
    const files = await fileCollection();
    const known = app.files.add(2);
    const entry = {
      ...{ _fileId: known[0], _fileVersionId: 'v1', _fileRepositoryId: 'r', filename: 'plan.ifc', srcId: 's' },
      ...{ aspect: '3d', encoding: ['gzip'], contentType: 'application/x-step', floor: { level: 2 } },
      _related: [{ _relatedUserItemDbId: files._id, _relatedToIds: ['a'] }],
    };
    const body = [{ ...entry, _id: 'mine', _metadata: 1 }, { _fileId: known[1] }, { _fileId: known[0] }];
    const response = await add(files._userItemId, body).expect(201);
    expect(response.body).toMatchObject({ _offset: 0, _pageSize: 3, _total: 3, _includeTotal: true, _failures: [] });
    const { _list } = response.body;
    expect(_list[0]).toEqual({
      ...entry,
      _id: expect.stringMatching(/^[0-9a-f]{24}$/),
      _guid: expect.stringMatching(/^[0-9a-f-]{36}$/),
      _metadata: expect.objectContaining({ _createdById: 'olga' }),
    });
    expect(_list[1]._guid).not.toBe(_list[0]._guid);
    expect(app.files.asked.at(-1)).toMatchObject({ ids: known, token: owner.authorization.replace('Bearer ', '') });
    expect(await rowsOf(files._id)).toEqual({ _offset: 0, _pageSize: 25, _total: 3, _includeTotal: true, _list });
  });

  it.each([
    ['NamedFileCollection', {}, '_fileId'],
    ['NamedFileCollection', { _fileId: 'a', encoding: 'gzip' }, 'encoding'],
    ['NamedFileCollection', { _fileId: 'a', _related: [{}] }, '_related.0._relatedUserItemDbId'],
    ['NamedTelemetryCollection', { name: 'x' }, '_sourceId'],
  ])('rejects in a %s %j', async (_itemClass, row, location) => {
    const { _id } = await createOne({ _itemClass });
    expect((await add(_id, [row]).expect(400)).body.errors[0].location).toBe(`body.0.${location}`);
  });

  it('is rejected for items that are not collections', async () => {
    const { _id } = await createOne({ _itemClass: 'Script', _version: { _userData: '' } });
    expect((await add(_id, [{ a: 1 }]).expect(400)).body.code).toBe('NO_RELATED_ITEMS');
    await rows(_id).expect(400);
  });

  it.each(['', '/bulk'])('stores any names as they are, except the reserved one (%s)', async (path) => {
    const { _id } = await createOne();
    const post = (body: unknown) => send('post', `/${_id}/relateditems${path}`).send(body as object);
    const free = {
      ...{ _itemId: 'a', _versionId: null, _revision: 'r', _indexed: [1], _indexedLanguage: 'x', _hidden: 7 },
      ...{ 'a.b': 1, $set: { $inc: 1 }, 'x.$y': [{ '.': 1, '': 2 }], constructor: 'c', toString: null },
      ...{ list: [{ _platform: 1 }], inside: { _platform: 2 }, nested: { b: [1, { c: null }] } },
    };
    const { _list } = (await post([free]).expect(201)).body;
    expect(_list).toEqual([{ ...free, _id: expect.any(String), _metadata: expect.anything() }]);
    const asked = { _itemId: 'a', _versionId: null, '_hidden.a': null, 'inside._platform': 2 };
    const query = { ...asked, list: { $elemMatch: { _platform: 1 } } };
    expect((await rowsOf(_id, { query }))._list).toEqual(_list);
    expect((await rowsOf(_id, { query, project: { _revision: 1, _id: 0 } }))._list).toEqual([{ _revision: 'r' }]);
    const rejected = await post([{}, { a: 1, _platform: { itemId: 'x' } }]).expect(400);
    expect(rejected.body.errors).toEqual([{ location: 'body.1._platform', message: 'is a reserved name' }]);
    for (const body of [[], {}, [null], [[]]]) await post(body).expect(400);
    expect((await rowsOf(_id))._total).toBe(1);
  });

  it('adds to the tip, or to the version of userItemVersionId', async () => {
    const { _id, _tipId } = await createOne();
    await addRows(_id, [{ of: 'first' }]);
    const second = await addVersion(_id);
    expect(await rowsOf(_id)).toMatchObject({ _total: 0, _list: [] });
    await addRows(_id, [{ of: 'second' }]);
    await addRows(_id, [{ of: 'first again' }], { userItemVersionId: _tipId });
    const of = async (query: object) => (await rowsOf(_id, {}, query))._list.map((row: { of: string }) => row.of);
    expect(await of({})).toEqual(['second']);
    expect(await of({ userItemVersionId: second._id })).toEqual(['second']);
    expect(await of({ userItemVersionId: _tipId })).toEqual(['first', 'first again']);
    for (const userItemVersionId of [(await createOne())._tipId, 'unknown']) {
      await add(_id, [{}], { userItemVersionId }).expect(404);
      await rows(_id, {}, { userItemVersionId }).expect(404);
    }
  });
});

describe('a list of related items', () => {
  let _id: string;

  beforeAll(async () => {
    ({ _id } = await createOne());
    const rowOf = (n: number) => ({ n, kind: n % 2 ? 'odd' : 'even', a: { b: 1 } });
    await addRows(_id, times(40, rowOf));
    const elsewhere = itemClient(here, OTHER);
    await elsewhere.addRows((await elsewhere.createOne({ _namespaces: [OTHER] }))._id, [{ kind: 'theirs' }]);
  });

  it('is filtered, sorted, projected and in pages', async () => {
    expect(await rowsOf(_id)).toMatchObject({ _pageSize: 25, _total: 40 });
    const page = { _pageSize: 3, _offset: 1 };
    const odd = await rowsOf(_id, { query: { kind: 'odd', n: { $gt: 5 } }, sort: { n: -1 }, page });
    expect([odd._list.map(({ n }: { n: number }) => n), odd._total]).toEqual([[37, 35, 33], 17]);
    const projected = async (project: object) => (await rowsOf(_id, { project, page: { _pageSize: 1 } }))._list;
    expect(await projected({ n: 1, _id: 0 })).toEqual([{ n: 0 }]);
    expect(await projected({ _itemId: 1, _versionId: 1 })).toEqual([{ _id: expect.any(String) }]);
  });

  it('has no related items of other collections, whatever its query', async () => {
    for (const query of [
      { _itemId: { $ne: 'x' } },
      { $or: [{ _versionId: { $ne: 'x' } }, { kind: { $ne: 'x' } }] },
      { $nor: [{ kind: 'none' }] },
      { _id: { $gt: '' } },
    ]) {
      const { _list, _total } = await rowsOf(_id, { query, page: { _pageSize: 100 } });
      expect([_list.length, _total]).toEqual([40, 40]);
    }
  });

  it.each([
    { query: { $or: [{ '_platform.itemId': { $exists: true } }] } },
    { query: { $text: { $search: 'x' } } },
    { sort: { '_platform.itemId': 1 } },
    { project: { _platform: 1 } },
  ])('is rejected for %j', async (parameters) => {
    await rows(_id, parameters).expect(400);
  });
});

/** A collection with one related item. */
const withRow = async (row: object = { n: 1 }) => {
  const { _id, _tipId } = await createOne();
  const [added] = await addRows(_id, [row]);
  return { _id, _tipId, row: added, path: `/${_id}/relateditems/${added._id}` };
};

describe('replacing a file item', () => {
  it('replaces all fields except its ids and creation metadata', async () => {
    const { _id } = await fileCollection();
    const [first, second] = app.files.add(2);
    const [item] = await addRows(_id, [{ _fileId: first, filename: 'a.ifc', floor: 1 }]);
    const body = { _fileRepositoryId: 'r', _fileId: second, _fileVersionId: 'v2', room: { n: [1] } };
    const own = { _itemId: 'x', _versionId: 'x', _revision: 99, _indexed: { a: 1 }, _hidden: null };
    const stray = { _id: 'mine', _metadata: { _createdAt: 0 } };
    const put = send('put', `/${_id}/relateditems/${item._id}`).send({ ...body, ...own, ...stray });
    const response = await put.expect(200);
    const _metadata = { ...item._metadata, _updatedAt: expect.any(Number) };
    expect(response.body).toEqual({ ...body, ...own, _id: item._id, _guid: item._guid, _metadata });
    expect(response.headers.etag).toBe('"1"');
    const got = await send('get', `/${_id}/relateditems/${item._id}`).expect(200);
    expect([got.body, got.headers.etag]).toEqual([response.body, '"1"']);
    expect(await rowsOf(_id)).toMatchObject({ _total: 1, _list: [response.body] });
  });

  it('requires a repository, and a file that the caller may read', async () => {
    const { _id } = await fileCollection();
    const [item] = await addRows(_id, [{ _fileId: app.files.add(1)[0], filename: 'kept' }]);
    const put = async (body: object) =>
      (await send('put', `/${_id}/relateditems/${item._id}`).send(body).expect(400)).body;
    const missing = { _fileRepositoryId: 'r', _fileId: UNKNOWN };
    expect(await put(missing)).toMatchObject({ code: 'FILE_MISSING', errors: [{ location: 'body._fileId' }] });
    expect((await put({ _fileId: 'f' })).errors[0].location).toBe('body._fileRepositoryId');
    expect((await rowsOf(_id))._list).toEqual([item]);
  });
});

describe('changing a related item', () => {
  it('requires the revision in If-Match', async () => {
    const { _id, path } = await withRow();
    const { etag } = (await send('get', path).expect(200)).headers;
    await send('get', path).set('if-none-match', etag!).expect(304);
    await send('put', path).set('if-match', etag!).send({ n: 2 }).expect(200);
    await send('put', path).set('if-match', etag!).send({ n: 3 }).expect(412);
    await send('delete', path).set('if-match', etag!).expect(412);
    expect((await rowsOf(_id))._list).toMatchObject([{ n: 2 }]);
    await send('delete', path).set('if-match', '"1"').expect(204);
    expect(await rowsOf(_id)).toMatchObject({ _total: 0, _list: [] });
    for (const method of ['get', 'put', 'delete'] as const) await send(method, path).send({}).expect(404);
  });

  it('keeps fields with any name', async () => {
    const { path } = await withRow();
    const odd = { $odd: 1, 'a.b': 2, constructor: 3, toString: null, nested: { $set: { 'c.d': [{}] } } };
    await send('put', path).send(odd).expect(200);
    expect((await send('get', path).expect(200)).body).toMatchObject(odd);
  });

  it('responds 404 in another version or collection', async () => {
    const { _id, _tipId, row, path } = await withRow();
    const other = await createOne();
    await addVersion(_id);
    for (const method of ['get', 'put', 'delete'] as const) {
      await send(method, path).send({}).expect(404);
      await send(method, `/${other._id}/relateditems/${row._id}`).send({}).expect(404);
      await send(method, path, { userItemVersionId: 'none' }).send({}).expect(404);
    }
    const ofVersion = { userItemVersionId: _tipId, transactional: true };
    await send('put', path, ofVersion).send({ n: 2 }).expect(200);
    await send('delete', path, ofVersion).expect(204);
  });

  it('rejects a body that is not an object or would be too large when stored', async () => {
    const { _id, row, path } = await withRow();
    for (const body of [[], { _related: 1 }, { _related: [{}] }]) await send('put', path).send(body).expect(400);
    const values = new Array(900_000).fill(1);
    await send('put', path).send({ values }).expect(413);
    expect((await rowsOf(_id))._list).toEqual([row]);
  });

  it('changes usage in all namespaces of the collection', async () => {
    const item = await createOne({ _namespaces: [NS, OTHER] });
    const { _id, _tipId } = item;
    const [row, gone] = await addRows(_id, [{ text: 'x' }, { text: 'y' }]);
    const long = { text: 'x'.repeat(1000) };
    await send('put', `/${_id}/relateditems/${row._id}`).send(long).expect(200);
    await send('delete', `/${_id}/relateditems/${gone._id}`).expect(204);

    const changes = (await usageInOutbox(app)).filter(({ _dimensions }) => _dimensions.version === _tipId);
    const sums = sumsBy(changes, ({ namespace, _metric }) => `${namespace} ${_metric.replace(/.*Collection/, '')}`);
    const { _platform, ...shown } = (await app.stored('related_items').findOne({ '_platform.itemId': _id }))!;
    const VersionSize = BSON.calculateObjectSize(item._versions[0]) + BSON.calculateObjectSize(shown);
    expect(sums).toEqual({
      ...{ [`${NS} RelatedItemsCount`]: 1, [`${NS} VersionSize`]: VersionSize },
      ...{ [`${OTHER} RelatedItemsCount`]: 1, [`${OTHER} VersionSize`]: VersionSize },
    });
    expect((await rowsOf(_id))._total).toBe(1);
  });
});
