import { randomBytes } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import { BSON } from '@dtplatform/mongo';
import { itemClient } from './item-client.js';
import { NS, openApp, OTHER } from './start-app.js';
import { sumsBy, usageInOutbox } from './usage-client.js';

const here = await openApp(NS, OTHER);
const { app } = here;
const { send, sendText, createOne, addRows, addVersion, rowsOf } = itemClient(here);

const files = (count: number) => {
  const ids = Array.from({ length: count }, () => randomBytes(12).toString('hex'));
  ids.forEach((id) => app.files.known.add(id));
  return ids;
};
const fileCollection = () => createOne({ _itemClass: 'NamedFileCollection' });
/** A collection with one related item. */
const withRow = async (row: object = { n: 1 }) => {
  const { _id, _tipId } = await createOne();
  const [added] = await addRows(_id, [row]);
  return { _id, _tipId, row: added, path: `/${_id}/relateditems/${added._id}` };
};

describe('replacing a file item', () => {
  it('replaces all fields except its ids and creation metadata', async () => {
    const { _id } = await fileCollection();
    const [first, second] = files(2);
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
    const [item] = await addRows(_id, [{ _fileId: files(1)[0], filename: 'kept' }]);
    const put = async (body: object) =>
      (await send('put', `/${_id}/relateditems/${item._id}`).send(body).expect(400)).body;
    const missing = { _fileRepositoryId: 'r', _fileId: 'e'.repeat(24) };
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

  it('accepts one of several concurrent changes with the same If-Match', async () => {
    const { path } = await withRow();
    const writes = Array.from({ length: 8 }, (_, n) => send('put', path).set('if-match', '"0"').send({ n }));
    const responses = await Promise.all(writes);
    expect(responses.map(({ status }) => status).sort()).toEqual([200, ...Array(7).fill(412)]);
  });

  it('keeps fields with any name', async () => {
    const { path } = await withRow();
    const odd = '{"$odd":1,"a.b":2,"constructor":3,"toString":null,"nested":{"$set":{"c.d":[{}]}}}';
    for (const body of ['{"n":1}', odd]) {
      await sendText('put', path, body).expect(200);
      expect((await send('get', path).expect(200)).text).toContain(body.slice(1, -1));
    }
    for (const body of ['{"__proto__":{"n":1}}', '{"n":{"__proto__":1}}', '{"a\\u0000b":1}'])
      await sendText('put', path, body).expect(400);
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
