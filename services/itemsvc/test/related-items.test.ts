import { randomBytes } from 'node:crypto';
import { beforeAll, describe, expect, it } from '@jest/globals';
import { itemClient } from './item-client.js';
import { NS, openApp, OTHER } from './start-app.js';

const here = await openApp(NS);
const { app, owner } = here;
const { send, sendText, createOne, addRows, addVersion, rows, rowsOf } = itemClient(here);

const knownFiles = (count: number) => {
  const ids = Array.from({ length: count }, () => randomBytes(12).toString('hex'));
  ids.forEach((id) => app.files.known.add(id));
  return ids;
};
const unknownFile = 'e'.repeat(24);
const add = (id: string, body: unknown, query: object = {}) =>
  send('post', `/${id}/relateditems`, query).send(body as object);
const fileCollection = () => createOne({ _itemClass: 'NamedFileCollection' });

describe('adding related items', () => {
  it('stores file items with any other fields, and asks filesvc for the files as the caller', async () => {
    const files = await fileCollection();
    const known = knownFiles(2);
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

  it('stores nothing if a file is missing', async () => {
    const files = await fileCollection();
    const body = [{ _fileId: knownFiles(1)[0] }, { _fileId: unknownFile }];
    for (const transactional of [false, true]) {
      const response = await add(files._id, body, { transactional }).expect(400);
      expect(response.body).toMatchObject({ code: 'FILE_MISSING', errors: [{ location: 'body.1._fileId' }] });
    }
    expect((await rowsOf(files._id))._total).toBe(0);
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

  it.each(['NamedCompositeItem', 'Script', 'UserConfig'])('is rejected for a %s', async (_itemClass) => {
    const { _id } = await createOne({ _itemClass, _version: { _userAttributes: {}, _userData: {} } });
    expect((await add(_id, [{ a: 1 }]).expect(400)).body.code).toBe('NO_RELATED_ITEMS');
    await rows(_id).expect(400);
  });

  it('leaves out rows that are too large, or stores nothing if transactional', async () => {
    const { _id } = await createOne();
    const huge = { values: new Array(900_000).fill(1) };
    const partly = await add(_id, [{ a: 1 }, huge]).expect(201);
    const _failures = [{ index: 1, code: 'VERSION_TOO_LARGE', message: 'An entry can have at most 8 MiB.' }];
    expect(partly.body).toMatchObject({ _total: 1, _failures });
    await add(_id, [{ a: 1 }, huge], { transactional: true }).expect(400);
    expect((await rowsOf(_id))._total).toBe(1);
  });

  it.each(['', '/bulk'])('stores any names as they are, except the reserved one (%s)', async (path) => {
    const { _id } = await createOne();
    const post = (body: unknown) => sendText('post', `/${_id}/relateditems${path}`, JSON.stringify(body));
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
    for (const text of ['[]', '{}', '[null]', '[[]]', '[{"__proto__":1}]', '[{"a":{"b\\u0000":1}}]'])
      await sendText('post', `/${_id}/relateditems${path}`, text).expect(400);
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
    await addRows(
      _id,
      Array.from({ length: 40 }, (_, n) => ({ n, kind: n % 2 ? 'odd' : 'even', a: { b: 1 } })),
    );
    await app.caller('otto', OTHER);
    const otto = { app, owner: { authorization: await app.as('otto') } };
    const elsewhere = itemClient(otto, OTHER);
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

  it.each<object>([
    { _itemId: { $exists: true } },
    { _versionId: { $ne: 'x' } },
    { $or: [{ _itemId: { $ne: 'x' } }, { kind: { $ne: 'x' } }] },
    { $nor: [{ kind: 'none' }] },
    { _id: { $gt: '' } },
    { constructor: { $exists: false } },
  ])('has no related items of other collections for the query %j', async (query) => {
    const { _list, _total } = await rowsOf(_id, { query, page: { _pageSize: 100 } });
    for (const { kind } of _list) expect(['odd', 'even']).toContain(kind);
    expect(_total).toBeLessThanOrEqual(40);
  });

  it.each([
    { query: { _platform: 1 } },
    { query: { $or: [{ '_platform.itemId': { $exists: true } }] } },
    { query: { $text: { $search: 'x' } } },
    { sort: { '_platform.itemId': 1 } },
    { sort: { $natural: 1 } },
    { project: { _platform: 1 } },
    { project: { '_platform.itemId': 0 } },
    { project: { a: '$_itemId' } },
  ])('is rejected for %j', async (parameters) => {
    await rows(_id, parameters).expect(400);
  });
});
