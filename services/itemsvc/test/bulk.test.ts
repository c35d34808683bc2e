import { describe, expect, it } from '@jest/globals';
import { createOutbox, createTasks } from '@dtplatform/queue';
import { eventually } from '@dtplatform/testing';
import { createBulkWriter } from '../src/relateditems/bulk.store.js';
import type { BulkInput } from '../src/relateditems/bulk.store.js';
import { itemClient, ITEMS, UNKNOWN } from './item-client.js';
import { API, NS, openApp, OTHER } from './start-app.js';
import { taskIdIn, telemetryClient } from './telemetry-client.js';

const MIB = 1024 * 1024;
const numbers = (count: number) => Array.from({ length: count }, (_, n) => ({ n }));

const here = await openApp(NS, OTHER);
const { app, owner } = here;
const { send, sendText, createOne, rowsOf } = itemClient(here);
const { ended, accepted } = telemetryClient(here);
const [tasks, batches] = [app.stored('async_tasks'), app.stored('bulk_batches')];
const relatedItems = app.stored('related_items');
const taskStore = createTasks(app.mongo);
const writer = createBulkWriter({ mongo: app.mongo, outbox: createOutbox(app.mongo) });

const bulk = (id: string, body: unknown, query: object = {}) =>
  send('post', `/${id}/relateditems/bulk`, query).send(body as object);
const task = async (location: string) => (await app.api.get(location).set(owner).expect(200)).body;
/** How often each number is stored. */
const stored = async (_itemId: string) => {
  const own = { '_platform.itemId': _itemId };
  const found = await relatedItems.find(own, { projection: { n: 1 } }).toArray();
  return found.map(({ n }) => n as number).sort((a, b) => a - b);
};
/** Runs a worker until a task has ended. */
const endedByWorker = async (location: string) => {
  const worker = await app.startWorker();
  const shown = await ended(location);
  await worker.stop();
  return shown;
};

describe('a bulk of related items', () => {
  it('is added immediately if there are up to 1000', async () => {
    const { _id } = await createOne();
    const response = await bulk(_id, numbers(1000)).expect(201);
    expect(response.body).toMatchObject({ _total: 1000, _failures: [] });
    expect(await rowsOf(_id, {}, { _pageSize: 1 })).toMatchObject({ _total: 1000, _list: [response.body._list[0]] });
    const transactional = await bulk(_id, numbers(2), { transactional: true }).expect(201);
    expect(transactional.body).not.toHaveProperty('_failures');
  });

  it('is otherwise a task with progress that adds each entry once, even if its worker dies', async () => {
    const { _id } = await createOne();
    const response = await bulk(_id, numbers(6000)).expect(202);
    const location = response.headers.location!;
    expect([response.text, location]).toEqual(['', expect.stringMatching(`^${API}/asynctasks/[0-9a-f]{24}$`)]);
    expect(await task(location)).toMatchObject({ _status: 'QUEUED', _batchCompleted: 0, _namespaces: [NS] });
    expect((await rowsOf(_id))._total).toBe(0);

    // A worker that died halfway.
    const id = taskIdIn(location);
    const begun = await taskStore.begin<BulkInput>(id);
    expect([await writer.addNext(id, begun!._input), await writer.addNext(id, begun!._input)]).toEqual([1000, 2000]);
    expect(await stored(_id)).toHaveLength(2000);
    await taskStore.progress(begun!, 2000);
    const progress = { _batchCompleted: 2000, _progress: 33, _statusmsg: '2000 of 6000 done' };
    expect(await task(location)).toMatchObject({ _status: 'RUNNING', ...progress });
    await tasks.updateOne({ _id: id }, { $set: { '_lease.until': new Date(Date.now() - 1000) } });

    const shown = await endedByWorker(location);
    expect(shown).toMatchObject({ _status: 'COMPLETED', _batchCompleted: 6000, _progress: 100 });
    expect(shown._response._status).toBe(201);
    expect(JSON.parse(shown._response._body)).toEqual({ _total: 6000, _failures: [] });
    expect(await stored(_id)).toEqual(numbers(6000).map(({ n }) => n));
    expect(await batches.countDocuments()).toBe(0);
    const page = await rowsOf(_id, { sort: { n: 1 }, page: { _pageSize: 2 } });
    expect(page).toMatchObject({ _total: 6000, _list: [{ n: 0 }, { n: 1 }] });
    expect(page._list[0]._metadata._createdById).toBe('olga');
  });

  it('is accepted once for an idempotency key, and added once by several concurrent workers', async () => {
    const { _id } = await createOne();
    const keyed = () => accepted(bulk(_id, numbers(4000)).set('idempotency-key', 'bulk-once'));
    const location = await keyed();
    expect(await keyed()).toBe(location);
    const id = taskIdIn(location);
    const { _input } = (await taskStore.get<BulkInput>(id))!;
    const addAll = async () => {
      while ((await writer.addNext(id, _input)) !== undefined);
    };
    const [{ _status }] = await Promise.all([endedByWorker(location), addAll(), addAll()]);
    expect(_status).toBe('COMPLETED');
    expect(await stored(_id)).toEqual(numbers(4000).map(({ n }) => n));
  });

  it('fails if its collection is deleted, and leaves nothing behind', async () => {
    const { _id } = await createOne();
    const location = await accepted(bulk(_id, numbers(1001)));
    await send('delete', `/${_id}`).expect(204);
    expect(await endedByWorker(location)).toMatchObject({ _status: 'ERROR', _response: { _status: 404 } });
    await eventually(async () => expect(await batches.countDocuments({ taskId: taskIdIn(location) })).toBe(0));
    expect(await stored(_id)).toEqual([]);
  });

  it('is validated before it is accepted', async () => {
    const files = await createOne({ _itemClass: 'NamedFileCollection' });
    const entries = app.files.add(1500).map((_fileId) => ({ _fileId, _fileRepositoryId: 'r', _fileVersionId: 'v' }));
    const counts = async () => [await tasks.countDocuments(), await batches.countDocuments()];
    const before = await counts();
    const missing = await bulk(files._id, [...entries, { _fileId: UNKNOWN }]).expect(400);
    expect(missing.body).toMatchObject({ code: 'FILE_MISSING', errors: [{ location: 'body.1500._fileId' }] });
    const wrong = await bulk(files._id, [...entries, { _fileId: 1 }]).expect(400);
    expect(wrong.body.errors[0].location).toBe('body.1500._fileId');
    const transactional = await bulk(files._id, entries, { transactional: true }).expect(400);
    expect(transactional.body.code).toBe('TRANSACTION_TOO_LARGE');
    expect(await counts()).toEqual(before);
  });

  it('leaves out entries that are too large', async () => {
    const { _id } = await createOne();
    const huge = { values: new Array(900_000).fill(1) };
    const location = await accepted(bulk(_id, [...numbers(1000), huge, { n: 1000 }]));
    const { _response, _batchCompleted } = await endedByWorker(location);
    const _failures = [{ index: 1000, code: 'VERSION_TOO_LARGE', message: expect.any(String) }];
    expect(JSON.parse(_response._body)).toEqual({ _total: 1001, _failures });
    expect(_batchCompleted).toBe(1001);
    expect(await stored(_id)).toEqual(numbers(1001).map(({ n }) => n));
  });

  it('is rejected with a 429 while 100 bulks of the namespace wait', async () => {
    const { _id } = await createOne();
    const taskId = taskIdIn(await accepted(bulk(_id, numbers(1001))));
    const [waiting, batch] = [await tasks.findOne({ _id: taskId }), await batches.findOne({ taskId })];
    await batches.deleteMany({ taskId: { $ne: taskId } });
    const copies = numbers(99).map(({ n }) => `${taskId}-${n}`);
    await tasks.insertMany(copies.map((copy) => ({ ...waiting, _id: copy })));
    await batches.insertMany(copies.map((copy) => ({ ...batch, _id: `${copy}/1`, taskId: copy })));
    const rejected = await bulk(_id, numbers(1001)).expect(429);
    expect(rejected.headers['retry-after']).toMatch(/^[1-9]\d*$/);
    expect(await batches.countDocuments()).toBe(101);
    await bulk(_id, numbers(1000)).expect(201);

    const elsewhere = await itemClient(here, OTHER).createOne({ _namespaces: [OTHER] });
    await bulk(elsewhere._id, numbers(1001), { nsfilter: OTHER }).expect(202);

    await tasks.updateOne({ _id: copies[0]! }, { $set: { _status: 'COMPLETED' } });
    await bulk(_id, numbers(1001)).expect(202);
    await batches.deleteMany({});
    await tasks.deleteMany({ _id: { $in: copies } });
  });

  it('reports the length of a body without Content-Length in its task', async () => {
    const { _id } = await createOne();
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

  it('has at most 10 MiB and 100,000 entries', async () => {
    const { _id } = await createOne();
    const path = `/${_id}/relateditems/bulk`;
    await sendText('post', path, JSON.stringify([{ text: 'x'.repeat(11 * MIB) }])).expect(413);
    const many = await sendText('post', path, `[${'{},'.repeat(100_000)}{}]`).expect(400);
    expect(many.body.errors).toEqual([{ location: 'body', message: 'must have at most 100000 items' }]);
    expect((await rowsOf(_id))._total).toBe(0);
  });
});
