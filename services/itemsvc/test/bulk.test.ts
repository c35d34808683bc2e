import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { createOutbox, createTasks } from '@dtplatform/queue';
import { eventually } from '@dtplatform/testing';
import { createBulkWriter } from '../src/relateditems/bulk.store.js';
import type { BulkInput } from '../src/relateditems/bulk.store.js';
import { itemClient, ITEMS, NS, OTHER } from './item-client.js';
import { API, startApp } from './start-app.js';
import type { TestApp } from './start-app.js';

const MIB = 1024 * 1024;
const numbers = (count: number) => Array.from({ length: count }, (_, n) => ({ n }));

let app: TestApp;
let owner: { authorization: string };
const client = itemClient(() => ({ app, owner }));

beforeAll(async () => {
  app = await startApp();
  owner = await app.caller('olga', NS);
});
afterAll(() => app.stop());

const bulk = (id: string, rows: unknown, query: object = {}, caller = owner) =>
  app.api
    .post(`${ITEMS}/${id}/relateditems/bulk`)
    .query({ nsfilter: NS, ...query })
    .set(caller)
    .send(rows as object);
const list = async (id: string, query: object = {}) =>
  (
    await app.api
      .get(`${ITEMS}/${id}/relateditems`)
      .query({ nsfilter: NS, ...query })
      .set(owner)
      .expect(200)
  ).body;
const collection = (name: string) => app.mongo.db.collection<{ _id: string }>(name);
const tasks = () => createTasks(app.mongo);
const task = async (location: string) => (await app.api.get(location).set(owner).expect(200)).body;
const ended = (location: string) =>
  eventually(
    async () => {
      const shown = await task(location);
      expect(shown._status).toMatch(/^(COMPLETED|ERROR)$/);
      return shown;
    },
    { timeoutMs: 40_000 },
  );
/** How often each number is stored. */
const stored = async (_itemId: string) => {
  const rows = await collection('related_items')
    .find({ '_platform.itemId': _itemId }, { projection: { n: 1 } })
    .toArray();
  return rows.map((row) => (row as unknown as { n: number }).n).sort((a, b) => a - b);
};
/** A worker that starts after this finds the task of one that died before. */
const loseWorker = (location: string) =>
  collection('async_tasks').updateOne(
    { _id: location.split('/').at(-1)! },
    { $set: { '_lease.until': new Date(Date.now() - 1000) } },
  );

describe('a bulk of up to 1000 related items', () => {
  it('adds them at once', async () => {
    const { _id } = await client.createOne();
    const response = await bulk(_id, numbers(1000)).expect(201);
    expect(response.body).toMatchObject({ _total: 1000, _failures: [] });
    expect(await list(_id, { _pageSize: 1 })).toMatchObject({ _total: 1000, _list: [response.body._list[0]] });
    const transactional = await bulk(_id, numbers(2), { transactional: true }).expect(201);
    expect(transactional.body).not.toHaveProperty('_failures');
  });

  it('goes to the version that the call names', async () => {
    const { _id, _tipId } = await client.createOne();
    const post = app.api.post(`${ITEMS}/${_id}/versions`).query({ nsfilter: NS }).set(owner).send({});
    await post.expect(201);
    await bulk(_id, [{ n: 1 }], { userItemVersionId: _tipId }).expect(201);
    expect((await list(_id))._total).toBe(0);
    expect((await list(_id, { userItemVersionId: _tipId }))._total).toBe(1);
    await bulk(_id, [{ n: 1 }], { userItemVersionId: 'other' }).expect(404);
  });
});

describe('a larger bulk', () => {
  it('is a task that shows its progress, and adds each entry once although its worker dies', async () => {
    const { _id } = await client.createOne();
    const accepted = await bulk(_id, numbers(6000)).expect(202);
    const { location } = accepted.headers;
    expect([accepted.text, location]).toEqual(['', expect.stringMatching(`^${API}/asynctasks/[0-9a-f]{24}$`)]);
    expect(await task(location!)).toMatchObject({ _status: 'QUEUED', _batchCompleted: 0, _namespaces: [NS] });
    expect((await list(_id))._total).toBe(0);

    // A worker that died after a part of the work.
    const id = location!.split('/').at(-1)!;
    const begun = await tasks().begin<BulkInput>(id);
    const writer = createBulkWriter({ mongo: app.mongo, outbox: createOutbox(app.mongo) });
    expect([await writer.addNext(id, begun!._input), await writer.addNext(id, begun!._input)]).toEqual([1000, 2000]);
    expect(await stored(_id)).toHaveLength(2000);
    await tasks().progress(begun!, 2000);
    const progress = { _batchCompleted: 2000, _progress: 33, _statusmsg: '2000 of 6000 done' };
    expect(await task(location!)).toMatchObject({ _status: 'RUNNING', ...progress });
    await loseWorker(location!);
    const worker = await app.startWorker();
    const shown = await ended(location!);
    expect(shown).toMatchObject({ _status: 'COMPLETED', _batchCompleted: 6000, _progress: 100 });
    expect(shown._response._status).toBe(201);
    expect(JSON.parse(shown._response._body)).toEqual({ _total: 6000, _failures: [] });
    expect(await stored(_id)).toEqual(numbers(6000).map(({ n }) => n));
    expect(await collection('bulk_batches').countDocuments()).toBe(0);
    const page = await list(_id, { sort: '{"n":1}', page: '{"_pageSize":2}' });
    expect(page).toMatchObject({ _total: 6000, _list: [{ n: 0 }, { n: 1 }] });
    expect(page._list[0]._metadata._createdById).toBe('olga');
    await worker.stop();
  });

  it('is added once by several workers at the same time', async () => {
    const { _id } = await client.createOne();
    const { location } = (await bulk(_id, numbers(4000)).expect(202)).headers;
    const id = location!.split('/').at(-1)!;
    const { _input } = (await tasks().get<BulkInput>(id))!;
    const writer = createBulkWriter({ mongo: app.mongo, outbox: createOutbox(app.mongo) });
    const addAll = async () => {
      while ((await writer.addNext(id, _input)) !== undefined);
    };
    const worker = await app.startWorker();
    await Promise.all([addAll(), addAll(), ended(location!)]);
    expect((await ended(location!))._status).toBe('COMPLETED');
    expect(await stored(_id)).toEqual(numbers(4000).map(({ n }) => n));
    await worker.stop();
  });

  it('ends as an error when the collection is gone, and leaves nothing behind', async () => {
    const { _id } = await client.createOne();
    const { location } = (await bulk(_id, numbers(1001)).expect(202)).headers;
    await app.api.delete(`${ITEMS}/${_id}`).query({ nsfilter: NS }).set(owner).expect(204);
    const worker = await app.startWorker();
    expect(await ended(location!)).toMatchObject({ _status: 'ERROR', _response: { _status: 404 } });
    await eventually(async () => expect(await collection('bulk_batches').countDocuments()).toBe(0));
    expect(await stored(_id)).toEqual([]);
    await worker.stop();
  });

  it('is not shown to others', async () => {
    const { _id } = await client.createOne();
    const { location } = (await bulk(_id, numbers(1001)).expect(202)).headers;
    const other = await app.caller('otto', NS);
    await app.api.get(location!).set(other).expect(404);
    await app.api.get(location!).expect(401);
    await app.api.get(location!.replace('asynctasks', 'telemetry_async_tasks')).set(owner).expect(404);
  });

  it('is checked before it is accepted', async () => {
    const files = await client.createOne({ _itemClass: 'NamedFileCollection' });
    const known = Array.from({ length: 1500 }, () => randomBytes(12).toString('hex'));
    known.forEach((id) => app.files.known.add(id));
    const entries = known.map((_fileId) => ({ _fileId, _fileRepositoryId: 'r', _fileVersionId: 'v' }));
    const before = await collection('async_tasks').countDocuments();
    const missing = await bulk(files._id, [...entries, { _fileId: 'f'.repeat(24) }]).expect(400);
    expect(missing.body).toMatchObject({ code: 'FILE_MISSING', errors: [{ location: 'body.1500._fileId' }] });
    const wrong = await bulk(files._id, [...entries, { _fileId: 1 }]).expect(400);
    expect(wrong.body.errors[0].location).toBe('body.1500._fileId');
    expect((await bulk(files._id, entries, { transactional: true }).expect(400)).body.code).toBe(
      'TRANSACTION_TOO_LARGE',
    );

    const red = await client.createOne();
    const _resourceDesc = {
      _irn: `itemsvc:nameduseritem:${red._id}`,
      _subresourceDesc: { _type: 'relateditem' as const, _criteria: { color: 'red' } },
    };
    const _user = { _type: 'user' as const, _id: 'rita' };
    await app.grants.grant([{ _namespace: NS, _resourceDesc, _user, _actions: ['READ', 'CREATE'] }]);
    const rita = { authorization: await app.as('rita') };
    const rows = Array.from({ length: 1001 }, (_, n) => ({ color: n === 1000 ? 'blue' : 'red' }));
    await bulk(red._id, rows, {}, rita).expect(403);
    expect(await collection('async_tasks').countDocuments()).toBe(before);
    expect(await collection('bulk_batches').countDocuments()).toBe(await waiting());
    await bulk(red._id, rows.slice(0, 1000), {}, rita).expect(201);
  });
  /** Batches of the bulks that no worker has processed. */
  const waiting = async () => {
    const tasks = await collection('async_tasks').find({ _status: 'QUEUED' }).toArray();
    return collection('bulk_batches').countDocuments({ taskId: { $in: tasks.map(({ _id }) => _id) } });
  };

  it('leaves out what is too large to be stored', async () => {
    const { _id } = await client.createOne();
    const huge = { values: new Array(900_000).fill(1) };
    const { location } = (await bulk(_id, [...numbers(1000), huge, { n: 1000 }]).expect(202)).headers;
    const worker = await app.startWorker();
    const { _response, _batchCompleted } = await ended(location!);
    expect(JSON.parse(_response._body)).toEqual({
      _total: 1001,
      _failures: [{ index: 1000, code: 'VERSION_TOO_LARGE', message: expect.any(String) }],
    });
    expect(_batchCompleted).toBe(1001);
    expect(await stored(_id)).toEqual(numbers(1001).map(({ n }) => n));
    await worker.stop();
  });

  it('is refused while 100 of its namespace wait', async () => {
    const { _id } = await client.createOne();
    const { location } = (await bulk(_id, numbers(1001)).expect(202)).headers;
    const taskId = location!.split('/').at(-1)!;
    const [task, batch] = [
      await collection('async_tasks').findOne({ _id: taskId }),
      await collection('bulk_batches').findOne({ taskId } as object),
    ];
    await collection('bulk_batches').deleteMany({ taskId: { $ne: taskId } });
    const copies = numbers(99).map(({ n }) => `${taskId}-${n}`);
    await collection('async_tasks').insertMany(copies.map((copy) => ({ ...task, _id: copy })));
    await collection('bulk_batches').insertMany(copies.map((copy) => ({ ...batch, _id: `${copy}/1`, taskId: copy })));
    const rejected = await bulk(_id, numbers(1001)).expect(429);
    expect(rejected.headers['retry-after']).toMatch(/^[1-9]\d*$/);
    const before = await collection('bulk_batches').countDocuments();
    expect(before).toBe(101);
    await bulk(_id, numbers(1000)).expect(201);

    const elsewhere = itemClient(() => ({ app, owner }), OTHER);
    await app.caller('olga', OTHER);
    const other = await elsewhere.createOne({ _namespaces: [OTHER] });
    await bulk(other._id, numbers(1001), { nsfilter: OTHER }).expect(202);

    await collection('async_tasks').updateOne({ _id: copies[0]! }, { $set: { _status: 'COMPLETED' } });
    await bulk(_id, numbers(1001)).expect(202);
    await collection('bulk_batches').deleteMany({});
    await collection('async_tasks').deleteMany({ _id: { $in: copies } });
  });

  it('has the length of its body in its task, also without Content-Length', async () => {
    const { _id } = await client.createOne();
    const body = JSON.stringify(numbers(1001));
    const response = await fetch(`${app.url}${ITEMS}/${_id}/relateditems/bulk?nsfilter=${NS}`, {
      method: 'POST',
      headers: { ...owner, 'content-type': 'application/json' },
      body: new Blob([body]).stream(),
      duplex: 'half',
    });
    expect(response.status).toBe(202);
    expect((await task(response.headers.get('location')!))._reqBodySize).toBe(body.length);
  });

  it('with the same Idempotency-Key is accepted once', async () => {
    const { _id } = await client.createOne();
    const keyed = () => bulk(_id, numbers(1200)).set('idempotency-key', 'bulk-once');
    const first = await keyed().expect(202);
    expect((await keyed().expect(202)).headers.location).toBe(first.headers.location);
    const worker = await app.startWorker();
    await ended(first.headers.location!);
    expect(await stored(_id)).toHaveLength(1200);
    await worker.stop();
  });
});

describe('a bulk is refused', () => {
  it.each([[[]], [{}], [['x']], [[1]], [null]])('as %j', async (body) => {
    await bulk((await client.createOne())._id, body).expect(400);
  });

  it('above 10 MiB, or above 100,000 entries', async () => {
    const { _id } = await client.createOne();
    const send = (body: string) =>
      app.api
        .post(`${ITEMS}/${_id}/relateditems/bulk`)
        .query({ nsfilter: NS })
        .set(owner)
        .set('content-type', 'application/json')
        .send(body);
    await send(JSON.stringify([{ text: 'x'.repeat(11 * MIB) }])).expect(413);
    const many = await send(`[${'{},'.repeat(100_000)}{}]`).expect(400);
    expect(many.body.errors).toEqual([{ location: 'body', message: 'must have at most 100000 items' }]);
    await bulk((await client.createOne({ _itemClass: 'Script', _version: { _userData: 'x' } }))._id, [{}]).expect(400);
    await bulk('6b01e9fb590ff35d0952a9ce', [{}]).expect(404);
    expect((await list(_id))._total).toBe(0);
  });
});
