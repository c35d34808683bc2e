import { describe, expect, it } from '@jest/globals';
import { UsageRecount } from '@dtplatform/contracts';
import type { UsageChange } from '@dtplatform/contracts';
import { createOutbox } from '@dtplatform/queue';
import { eventually, seededNumbers, testSeed } from '@dtplatform/testing';
import { createReadingRemovals } from '../src/readings/reading-removals.store.js';
import { changeOf, doors, itemClient, UNKNOWN } from './item-client.js';
import type { Shown } from './item-client.js';
import { API, NS, openApp, OTHER } from './start-app.js';
import { nonZero, sumsBy, usageInOutbox } from './usage-client.js';

const SEED = testSeed();
const STEPS = 160;
const CLASSES = [
  ...['NamedUserCollection', 'NamedFileCollection', 'NamedTelemetryCollection'],
  ...['NamedCompositeItem', 'Script', 'UserConfig'],
];
const SETTLED = { _isComplete: true, _unsettled: [] };

type Known = Shown & { _itemClass: string; _namespaces: string[] };

const here = await openApp(NS, OTHER);
const { app } = here;
const { send, create } = itemClient(here);
const trusted = { authorization: await app.as('platform', 'trusted') };
const batches = app.stored('reading_batches');

const sumsOf = (changes: UsageChange[]) => {
  const keyOf = ({ _metric, _dimensions }: UsageChange) =>
    [_metric.replace('dtplatform.itemsvc.', ''), ...Object.values(_dimensions)].join(' ');
  return nonZero(sumsBy(changes, keyOf));
};
const recounted = (query: object) => app.api.get(`${API}/usage`).query(query).set(trusted);
const recount = async (query: object): Promise<UsageRecount> =>
  UsageRecount.parse((await recounted(query).expect(200)).body);
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
const recorded = async (namespace: string) =>
  sumsOf((await usageInOutbox(app)).filter((change) => change.namespace === namespace));
const allStored = () => eventually(async () => expect(await batches.countDocuments()).toBe(0));

/** A random operation. Rejections, such as of deleting a last version, are fine; errors are not. */
async function step(random: (below: number) => number, items: Known[]): Promise<void> {
  const item = items[random(items.length || 1)];
  const text = 'x'.repeat(random(200));
  type Method = 'get' | 'post' | 'put' | 'delete';
  const call = async (method: Method, path: string, body?: object, nsfilter = item!._namespaces[0]) => {
    const response = await send(method, `/${item!._id}${path}`, { nsfilter }).send(body);
    if (response.status >= 500) throw new Error(`${response.status} ${JSON.stringify(response.body)}`);
    return { status: response.status, body: response.body as { _id: string; _tipId: string; _list?: Known[] } };
  };
  if (!item || random(5) === 0) {
    const _namespaces = [[NS], [OTHER], [NS, OTHER]][random(3)]!;
    const _itemClass = CLASSES[random(CLASSES.length)]!;
    const wanted = doors({ _itemClass, _namespaces, _version: { _userAttributes: { text }, _userData: { n: 1 } } });
    items.push((await create([wanted], { nsfilter: _namespaces[0] }).expect(201)).body._list[0] as Known);
    return;
  }
  const kinds: (() => Promise<unknown>)[] = [
    async () => {
      const { status, body } = await call('post', '/versions', { _userAttributes: { text } });
      if (status === 201) item._tipId = body._id;
    },
    () => call('put', `/versions/${item._tipId}`, { _userAttributes: { text, more: [1, 2.5, null] } }),
    async () => {
      const { status } = await call('delete', `/versions/${item._tipId}`);
      if (status === 204) item._tipId = (await call('get', '/')).body._tipId;
    },
    () =>
      call('post', '/relateditems', [
        { _sourceId: `s${random(4)}`, text },
        { _sourceId: 't', n: 2 },
      ]),
    async () => {
      const [row] = (await call('get', '/relateditems')).body._list ?? [];
      if (!row) return;
      const path = `/relateditems/${row._id}`;
      await (random(2) ? call('delete', path) : call('put', path, { _sourceId: 't', text: text + text }));
    },
    () => call('post', '/relatedcollections', [{ _itemId: items[random(items.length)]!._id }]),
    async () => {
      const _namespaces = [[NS], [OTHER], [NS, OTHER], [OTHER, NS]][random(4)]!;
      const { status } = await call('put', '/', changeOf({ _namespaces }), _namespaces[0]);
      if (status === 204) item._namespaces = _namespaces;
    },
    async () => {
      if (item._itemClass !== 'NamedTelemetryCollection') return;
      const readings = [0, 1, 2].map((n) => ({ _ts: Date.now() + n, _tsMetadata: { _sourceId: 't' }, n, text }));
      await call('post', '/relateditems/readings', readings);
    },
    async () => {
      if (random(3) > 0) return;
      if ((await call('delete', '/')).status === 204) items.splice(items.indexOf(item), 1);
    },
  ];
  await kinds[random(kinds.length)]!();
}

describe('a recount of usage', () => {
  it(`equals the recorded usage after any operations (TEST_SEED=${SEED})`, async () => {
    const random = seededNumbers(SEED);
    const items: Known[] = [];
    for (let n = 0; n < STEPS; n++) await step(random, items);
    expect(items.length).toBeGreaterThan(5);
    await allStored();
    for (const namespace of [NS, OTHER]) {
      const { sums, waiting } = await recountAll(namespace);
      expect(sums).toEqual(await recorded(namespace));
      expect(sumsOf(waiting.flatMap(({ _changes }) => _changes))).toEqual(sums);
    }
  });

  it('counts readings as they are stored, until they are removed', async () => {
    const nsfilter = 'readings_1';
    await app.caller('olga', nsfilter);
    const client = itemClient(here, nsfilter);
    const item = await client.createOne({ _itemClass: 'NamedTelemetryCollection', _namespaces: [nsfilter] });
    const [row] = await client.addRows(item._id, [{ _sourceId: 'a' }]);
    const _tsMetadata = { _sourceId: 'a' };
    const readings = Array.from({ length: 50 }, (_, n) => ({ _ts: 1e12 + n, _tsMetadata, n, t: 'ä' }));
    await client.send('post', `/${item._id}/relateditems/readings`).send(readings).expect(201);
    await allStored();
    const size = `NamedTelemetryCollectionTimeSeriesCollectionSize ${item._id} ${item._tipId}`;
    const before = await recountAll(nsfilter);
    expect(before.sums[size]).toBeGreaterThan(50 * 60);
    expect(before.sums).toEqual(await recorded(nsfilter));

    // A waiting batch.
    await batches.insertOne({ _id: 'b', _itemId: item._id });
    const part = await recount({ namespace: nsfilter, after: '', until: UNKNOWN });
    expect(part).toMatchObject({ _unsettled: [item._id] });
    await batches.deleteOne({ _id: 'b' });

    const removals = createReadingRemovals({ mongo: app.mongo, outbox: createOutbox(app.mongo) });
    await removals.removeOfTelemetryItem({ itemId: item._id, versionId: item._tipId, telItemId: row._id });
    const after = await recountAll(nsfilter);
    expect(after.sums[size]).toBeUndefined();
    expect(after.sums).toEqual(await recorded(nsfilter));
  });

  it('has ranges of owners', async () => {
    const namespace = 'ranges_1';
    await app.caller('olga', namespace);
    const drafts = Array.from({ length: 120 }, () => doors({ _namespaces: [namespace] }));
    const query = { nsfilter: namespace };
    for (const some of [drafts.slice(0, 60), drafts.slice(60)]) await create(some, query).expect(201);
    const { _until } = await recount({ namespace });
    const first = await recount({ namespace, after: '', until: _until });
    expect(new Set(first._changes.map(({ _dimensions }) => _dimensions.collection)).size).toBe(50);
    expect(first._until).not.toBe(_until);
    expect((await recountAll(namespace)).sums).toEqual(await recorded(namespace));
  });

  it('is rejected for an incomplete or invalid range', async () => {
    for (const query of [{}, { namespace: NS, after: '' }, { namespace: NS, after: 'x', until: UNKNOWN }])
      await recounted(query).expect(400);
  });
});
