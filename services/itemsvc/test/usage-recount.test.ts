import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { UsageRecount } from '@dtplatform/contracts';
import type { UsageChange } from '@dtplatform/contracts';
import { createOutbox } from '@dtplatform/queue';
import { eventually, seededNumbers, testSeed } from '@dtplatform/testing';
import { createReadingRemovals } from '../src/readings/reading-removals.store.js';
import { doors, itemClient, NS, OTHER } from './item-client.js';
import { API, startApp } from './start-app.js';
import type { TestApp } from './start-app.js';

const PATH = `${API}/usage`;
const SEED = testSeed();
const STEPS = 160;
const CLASSES = [
  'NamedUserCollection',
  'NamedFileCollection',
  'NamedTelemetryCollection',
  'NamedCompositeItem',
  'Script',
  'UserConfig',
];

interface Known {
  _id: string;
  _itemClass: string;
  _tipId: string;
  _namespaces: string[];
}

function sumsOf(changes: UsageChange[]): Record<string, number> {
  const sums: Record<string, number> = {};
  for (const { _metric, _dimensions, _amount } of changes) {
    const key = [_metric.replace('dtplatform.itemsvc.', ''), ...Object.values(_dimensions)].join(' ');
    sums[key] = (sums[key] ?? 0) + _amount;
  }
  return Object.fromEntries(Object.entries(sums).filter(([, sum]) => sum !== 0));
}

describe('a recount of usage', () => {
  let app: TestApp;
  let owner: { authorization: string };
  let trusted: { authorization: string };
  const { send, create } = itemClient(() => ({ app, owner }));

  beforeAll(async () => {
    app = await startApp();
    owner = await app.caller('olga', NS);
    await app.caller('olga', OTHER);
    trusted = { authorization: await app.as('platform', 'trusted') };
  });
  afterAll(() => app.stop());

  const recount = async (query: object): Promise<UsageRecount> =>
    UsageRecount.parse((await app.api.get(PATH).query(query).set(trusted).expect(200)).body);
  /** All parts of a namespace's recount. */
  async function recountAll(namespace: string) {
    const parts = [await recount({ namespace })];
    for (let after = ''; parts.at(-1)!._until !== undefined;) {
      const until = parts.at(-1)!._until!;
      parts.push(await recount({ namespace, after, until }));
      after = until;
    }
    for (const { _isComplete, _unsettled } of parts) expect({ _isComplete, _unsettled }).toEqual(SETTLED);
    return { sums: sumsOf(parts.flatMap(({ _changes }) => _changes)), waiting: parts[0]!._waiting };
  }
  /** What was told to metricsvc since the start: no relay runs. */
  const told = async (namespace: string) => {
    const entries = await app.mongo.db.collection('outbox').find({ queue: 'metricsvc.usage' }).toArray();
    const own = entries.filter(({ payload }) => payload._namespace === namespace);
    return sumsOf(own.flatMap(({ payload }) => payload._changes as UsageChange[]));
  };

  /** One random operation on the items so far. Refusals, such as of a last version's deletion, are fine; errors are not. */
  async function step(random: (below: number) => number, items: Known[]): Promise<void> {
    const item = items[random(items.length || 1)];
    const text = 'x'.repeat(random(200));
    const call = (method: 'post' | 'put' | 'delete', path: string, body?: object) =>
      send(method, `/${item!._id}${path}`, { nsfilter: item!._namespaces[0] }).send(body);
    const refusable = async (response: PromiseLike<{ status: number; body: unknown }>) => {
      const { status, body } = await response;
      if (status >= 500) throw new Error(`${status} ${JSON.stringify(body)}`);
      return { status, body: body as { _id: string; _list: { _id: string }[] } };
    };
    if (!item || random(5) === 0) {
      const _namespaces = [[NS], [OTHER], [NS, OTHER]][random(3)]!;
      const _itemClass = CLASSES[random(CLASSES.length)]!;
      const wanted = doors({ _itemClass, _namespaces, _version: { _userAttributes: { text }, _userData: { n: 1 } } });
      const response = await create([wanted], { nsfilter: _namespaces[0] }).expect(201);
      items.push(response.body._list[0] as Known);
      return;
    }
    const isTelemetry = item._itemClass === 'NamedTelemetryCollection';
    const kinds: (() => Promise<unknown>)[] = [
      async () => {
        const { status, body } = await refusable(call('post', '/versions', { _userAttributes: { text } }));
        if (status === 201) item._tipId = body._id;
      },
      () => refusable(call('put', `/versions/${item._tipId}`, { _userAttributes: { text, more: [1, 2.5, null] } })),
      async () => {
        if ((await refusable(call('delete', `/versions/${item._tipId}`))).status !== 204) return;
        const { body } = await send('get', `/${item._id}`, { nsfilter: item._namespaces[0] }).expect(200);
        item._tipId = body._tipId;
      },
      () =>
        refusable(
          call('post', '/relateditems', [
            { _sourceId: `s${random(4)}`, text },
            { _sourceId: 't', n: 2 },
          ]),
        ),
      async () => {
        const { body } = await send('get', `/${item._id}/relateditems`, { nsfilter: item._namespaces[0] });
        const row = (body._list as { _id: string }[] | undefined)?.[0];
        if (row) await refusable(call('delete', `/relateditems/${row._id}`));
      },
      async () => {
        const other = items[random(items.length)]!;
        await refusable(call('post', '/relatedcollections', [{ _itemId: other._id }]));
      },
      async () => {
        const _namespaces = [[NS], [OTHER], [NS, OTHER], [OTHER, NS]][random(4)]!;
        const change = { _name: 'Moved', _description: '', _userType: 'u', _namespaces };
        const { status } = await refusable(send('put', `/${item._id}`, { nsfilter: _namespaces[0] }).send(change));
        if (status === 204) item._namespaces = _namespaces;
      },
      async () => {
        if (!isTelemetry) return;
        const readings = [0, 1, 2].map((n) => ({ _ts: Date.now() + n, _tsMetadata: { _sourceId: 't' }, n, text }));
        await refusable(call('post', '/relateditems/readings', readings));
      },
      async () => {
        if (random(3) > 0) return;
        if ((await refusable(call('delete', ''))).status === 204) items.splice(items.indexOf(item), 1);
      },
    ];
    await kinds[random(kinds.length)]!();
  }

  it(`is what was told to the metrics, after any operations (TEST_SEED=${SEED})`, async () => {
    const random = seededNumbers(SEED);
    const items: Known[] = [];
    for (let n = 0; n < STEPS; n++) await step(random, items);
    expect(items.length).toBeGreaterThan(5);
    await eventually(async () => expect(await app.mongo.db.collection('reading_batches').countDocuments()).toBe(0));
    for (const namespace of [NS, OTHER]) {
      const { sums, waiting } = await recountAll(namespace);
      expect(sums).toEqual(await told(namespace));
      expect(sumsOf(waiting.flatMap(({ _changes }) => _changes))).toEqual(sums);
    }
  });

  it('counts readings as they are stored, until their removal is told', async () => {
    const namespace = 'readings_1';
    await app.caller('olga', namespace);
    const query = { nsfilter: namespace };
    const draft = doors({ _itemClass: 'NamedTelemetryCollection', _namespaces: [namespace] });
    const item = (await create([draft], query).expect(201)).body._list[0];
    const row = (
      await send('post', `/${item._id}/relateditems`, query)
        .send([{ _sourceId: 'a' }])
        .expect(201)
    ).body;
    const readings = Array.from({ length: 50 }, (_, n) => ({
      _ts: 1e12 + n,
      _tsMetadata: { _sourceId: 'a' },
      n,
      t: 'ä',
    }));
    await send('post', `/${item._id}/relateditems/readings`, query).send(readings).expect(201);
    await eventually(async () => expect(await app.mongo.db.collection('reading_batches').countDocuments()).toBe(0));
    const size = `NamedTelemetryCollectionTimeSeriesCollectionSize ${item._id} ${item._tipId}`;
    const before = await recountAll(namespace);
    expect(before.sums[size]).toBeGreaterThan(50 * 60);
    expect(before.sums).toEqual(await told(namespace));

    // A batch that is on its way.
    const batches = app.mongo.db.collection<{ _id: string }>('reading_batches');
    await batches.insertOne({ _id: 'b', _itemId: item._id } as never);
    const until = 'f'.repeat(24);
    expect(await recount({ namespace, after: '', until })).toMatchObject({ _unsettled: [item._id] });
    await batches.deleteOne({ _id: 'b' });

    const removals = createReadingRemovals({ mongo: app.mongo, outbox: createOutbox(app.mongo) });
    const of = { itemId: item._id, versionId: item._tipId, telItemId: row._list[0]._id };
    await removals.removeOfTelemetryItem(of);
    const after = await recountAll(namespace);
    expect(after.sums[size]).toBeUndefined();
    expect(after.sums).toEqual(await told(namespace));
  });

  it('is given in ranges of owners', async () => {
    const namespace = 'ranges_1';
    await app.caller('olga', namespace);
    const drafts = Array.from({ length: 120 }, () => doors({ _namespaces: [namespace] }));
    const query = { nsfilter: namespace };
    for (const some of [drafts.slice(0, 60), drafts.slice(60)]) await create(some, query).expect(201);
    const { _until } = await recount({ namespace });
    const first = await recount({ namespace, after: '', until: _until });
    expect(new Set(first._changes.map(({ _dimensions }) => _dimensions.collection)).size).toBe(50);
    expect(first._until).not.toBe(_until);
    expect((await recountAll(namespace)).sums).toEqual(await told(namespace));
  });

  it('is for services of the platform alone', async () => {
    await app.api.get(PATH).query({ namespace: NS }).expect(401);
    await app.api.get(PATH).query({ namespace: NS }).set(owner).expect(403);
    for (const query of [{}, { namespace: NS, after: '' }, { namespace: NS, after: 'x', until: 'f'.repeat(24) }]) {
      await app.api.get(PATH).query(query).set(trusted).expect(400);
    }
  });
});

const SETTLED = { _isComplete: true, _unsettled: [] };
