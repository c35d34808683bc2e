import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { UsageRecorded } from '@dtplatform/contracts';
import { BSON } from '@dtplatform/mongo';
import { itemClient, ITEMS, NS, OTHER } from './item-client.js';
import { startApp } from './start-app.js';
import type { TestApp } from './start-app.js';

type Caller = { authorization: string };
const fileId = () => randomBytes(12).toString('hex');

let app: TestApp;
let owner: Caller;
const client = itemClient(() => ({ app, owner }));

beforeAll(async () => {
  app = await startApp();
  owner = await app.caller('olga', NS);
  await app.caller('olga', OTHER);
});
afterAll(() => app.stop());

const send = (method: 'get' | 'put' | 'post' | 'delete', path: string, query: object = {}, caller = owner) =>
  app.api[method](`${ITEMS}/${path}`)
    .query({ nsfilter: NS, ...query })
    .set(caller);
const addTo = async (id: string, rows: object[], query: object = {}) =>
  (await send('post', `${id}/relateditems`, query).send(rows).expect(201)).body._list;
const rowsOf = async (id: string) => (await send('get', `${id}/relateditems`).expect(200)).body;
const files = (count: number) => {
  const ids = Array.from({ length: count }, fileId);
  ids.forEach((id) => app.files.known.add(id));
  return ids;
};
const fileCollection = () => client.createOne({ _itemClass: 'NamedFileCollection' });

describe('a file item', () => {
  it('is replaced as a whole, and keeps its ids and its creation', async () => {
    const { _id } = await fileCollection();
    const [first, second] = files(2);
    const [item] = await addTo(_id, [{ _fileId: first, filename: 'a.ifc', floor: 1 }]);
    const body = { _fileRepositoryId: 'r', _fileId: second, _fileVersionId: 'v2', room: { n: [1] } };
    const own = { _itemId: 'x', _versionId: 'x', _revision: 99, _indexed: { a: 1 }, _hidden: null };
    const stray = { _id: 'mine', _metadata: { _createdAt: 0 } };
    const response = await send('put', `${_id}/relateditems/${item._id}`)
      .send({ ...body, ...own, ...stray })
      .expect(200);
    expect(response.body).toEqual({
      ...body,
      ...own,
      _id: item._id,
      _guid: item._guid,
      _metadata: { ...item._metadata, _updatedAt: expect.any(Number) },
    });
    expect(response.headers.etag).toBe('"1"');
    const got = await send('get', `${_id}/relateditems/${item._id}`).expect(200);
    expect([got.body, got.headers.etag]).toEqual([response.body, '"1"']);
    expect(await rowsOf(_id)).toMatchObject({ _total: 1, _list: [response.body] });
    expect((await rowsOf(_id))._list[0]).toEqual(response.body);
  });

  it.each([
    ['_fileId', { _fileRepositoryId: 'r' }],
    ['_fileRepositoryId', { _fileId: 'f' }],
    ['encoding', { _fileRepositoryId: 'r', _fileId: 'f', encoding: 'gzip' }],
  ])('needs a proper %s', async (location, body) => {
    const { _id } = await fileCollection();
    const [item] = await addTo(_id, [{ _fileId: files(1)[0] }]);
    const response = await send('put', `${_id}/relateditems/${item._id}`).send(body).expect(400);
    expect(response.body.errors[0].location).toBe(`body.${location}`);
  });

  it('refers to a file that the caller may read', async () => {
    const { _id } = await fileCollection();
    const [item] = await addTo(_id, [{ _fileId: files(1)[0], filename: 'kept' }]);
    const body = { _fileRepositoryId: 'r', _fileId: fileId() };
    const response = await send('put', `${_id}/relateditems/${item._id}`).send(body).expect(400);
    expect(response.body).toMatchObject({ code: 'FILE_MISSING', errors: [{ location: 'body._fileId' }] });
    expect((await rowsOf(_id))._list).toEqual([item]);
  });
});

describe('a related item', () => {
  it('is changed and removed only in the state that If-Match names', async () => {
    const { _id } = await client.createOne();
    const [row] = await addTo(_id, [{ n: 1 }]);
    const path = `${_id}/relateditems/${row._id}`;
    const { etag } = (await send('get', path).expect(200)).headers;
    await send('get', path).set('if-none-match', etag!).expect(304);
    await send('put', path).set('if-match', etag!).send({ n: 2 }).expect(200);
    await send('put', path).set('if-match', etag!).send({ n: 3 }).expect(412);
    await send('delete', path).set('if-match', etag!).expect(412);
    expect((await rowsOf(_id))._list).toMatchObject([{ n: 2 }]);
    await send('delete', path).set('if-match', '"1"').expect(204);
    expect(await rowsOf(_id)).toMatchObject({ _total: 0, _list: [] });
    await send('delete', path).expect(404);
    await send('put', path).send({ n: 4 }).expect(404);
    await send('get', path).expect(404);
  });

  it('keeps fields of any name', async () => {
    const { _id } = await client.createOne();
    const odd = JSON.parse('{"$odd":1,"a.b":2,"constructor":3,"toString":null,"nested":{"$set":{"c.d":[{}]}}}');
    const [row] = await addTo(_id, [odd]);
    const path = `${_id}/relateditems/${row._id}`;
    const text = JSON.stringify(odd);
    for (const body of ['{"n":1}', text]) {
      await send('put', path).set('content-type', 'application/json').send(body).expect(200);
      const stored = (await send('get', path).expect(200)).text;
      expect(stored).toContain(body.slice(1, -1));
    }
    for (const body of ['{"__proto__":{"n":1}}', '{"n":{"__proto__":1}}', '{"a\\u0000b":1}']) {
      await send('put', path).set('content-type', 'application/json').send(body).expect(400);
      const post = send('post', `${_id}/relateditems`).set('content-type', 'application/json');
      await post.send(`[${body}]`).expect(400);
    }
  });

  it('belongs to a version, and is not found in another one or in another collection', async () => {
    const { _id, _tipId } = await client.createOne();
    const other = await client.createOne();
    const [row] = await addTo(_id, [{ n: 1 }]);
    await send('post', `${_id}/versions`).send({}).expect(201);
    for (const method of ['get', 'put', 'delete'] as const) {
      await send(method, `${_id}/relateditems/${row._id}`).send({}).expect(404);
      await send(method, `${other._id}/relateditems/${row._id}`).send({}).expect(404);
      await send(method, `${_id}/relateditems/${row._id}`, { userItemVersionId: 'none' }).send({}).expect(404);
    }
    const path = `${_id}/relateditems/${row._id}`;
    await send('put', path, { userItemVersionId: _tipId, transactional: true }).send({ n: 2 }).expect(200);
    await send('delete', path, { userItemVersionId: _tipId, transactional: true }).expect(204);
  });

  it('is refused as something that is too large, or no object', async () => {
    const { _id } = await client.createOne();
    const [row] = await addTo(_id, [{ n: 1 }]);
    const path = `${_id}/relateditems/${row._id}`;
    for (const body of [[], [{}], { _related: 1 }, { _related: [{}] }]) await send('put', path).send(body).expect(400);
    await send('put', path)
      .send({ values: new Array(900_000).fill(1) })
      .expect(413);
    await send('put', path)
      .send({ text: 'x'.repeat(11 * 1024 * 1024) })
      .expect(413);
    expect((await rowsOf(_id))._list).toEqual([row]);
  });

  it('is changed once at a time', async () => {
    const { _id } = await client.createOne();
    const [row] = await addTo(_id, [{ n: 0 }]);
    const path = `${_id}/relateditems/${row._id}`;
    const writes = Array.from({ length: 8 }, (_, n) => send('put', path).set('if-match', '"0"').send({ n }));
    const responses = await Promise.all(writes);
    expect(responses.map(({ status }) => status).sort()).toEqual([200, ...Array.from({ length: 7 }, () => 412)]);
  });
});

describe('a permission on related items that match criteria', () => {
  const red = (id: string) => ({
    _irn: `itemsvc:nameduseritem:${id}`,
    _subresourceDesc: { _type: 'relateditem' as const, _criteria: { color: 'red' } },
  });

  it('covers what they are and what they become', async () => {
    const { _id } = await client.createOne();
    const [one, two] = await addTo(_id, [{ color: 'red' }, { color: 'blue' }]);
    const grant = (id: string, _actions: ('READ' | 'EDIT' | 'DELETE')[]) =>
      app.grants.grant([{ _namespace: NS, _resourceDesc: red(_id), _user: { _type: 'user', _id: id }, _actions }]);
    await grant('rita', ['READ']);
    await grant('edda', ['READ', 'EDIT', 'DELETE']);
    const [reader, editor] = [{ authorization: await app.as('rita') }, { authorization: await app.as('edda') }];
    const path = (row: { _id: string }) => `${_id}/relateditems/${row._id}`;

    await send('get', path(one), {}, reader).expect(200);
    await send('get', path(two), {}, reader).expect(404);
    await send('put', path(one), {}, reader).send({ color: 'red' }).expect(403);
    await send('delete', path(one), {}, reader).expect(403);

    await send('put', path(two), {}, editor).send({ color: 'red' }).expect(404);
    await send('delete', path(two), {}, editor).expect(404);
    await send('put', path(one), {}, editor).send({ color: 'blue' }).expect(403);
    await send('put', path(one), {}, editor).send({ color: 'red', n: 1 }).expect(200);
    await send('delete', path(one), {}, editor).expect(204);
    expect((await rowsOf(_id))._list).toMatchObject([{ color: 'blue' }]);
  });
});

describe('usage', () => {
  it('follows what is replaced and removed, in all namespaces of the collection', async () => {
    const item = await client.createOne({ _namespaces: [NS, OTHER] });
    const { _id, _tipId } = item;
    const [row, gone] = await addTo(_id, [{ text: 'x' }, { text: 'y' }]);
    await send('put', `${_id}/relateditems/${row._id}`)
      .send({ text: 'x'.repeat(1000) })
      .expect(200);
    await send('delete', `${_id}/relateditems/${gone._id}`).expect(204);

    const outbox = app.mongo.db.collection('outbox');
    const sums: Record<string, number> = {};
    let total = 0;
    for (const { payload, deltas } of await outbox.find({ queue: 'metricsvc.usage' }).toArray()) {
      const { _namespace, _changes } = UsageRecorded.parse(payload);
      for (const { _metric, _dimensions, _amount } of _changes) {
        if (_dimensions.version !== _tipId) continue;
        const key = `${_namespace} ${_metric.replace(/.*Collection/, '')}`;
        sums[key] = (sums[key] ?? 0) + _amount;
      }
      for (const { namespace, amount } of (deltas ?? []) as { namespace: string; amount: number }[])
        if (namespace === _tipId) total += amount;
    }
    const [stored] = await app.mongo.db.collection('related_items').find({ '_platform.itemId': _id }).toArray();
    const { _platform, ...shown } = stored!;
    const bytes = BSON.calculateObjectSize(item._versions[0]) + BSON.calculateObjectSize(shown);
    expect(sums).toEqual(
      Object.fromEntries(
        [NS, OTHER].flatMap((namespace) => [
          [`${namespace} RelatedItemsCount`, 1],
          [`${namespace} VersionSize`, bytes],
        ]),
      ),
    );
    expect(total).toBe(1);
  });
});
