import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import type { UsageChange } from '@dtplatform/contracts';
import { newId } from '@dtplatform/mongo';
import { eventually } from '@dtplatform/testing';
import { newReconciliation } from '../src/reconciliations/reconciliation.js';
import type { Reconciliation } from '../src/reconciliations/reconciliation.js';
import { FILE_COUNT, files, HOUR_MS, metricClient, SIZE, size, values } from './metric-client.js';
import { startApp } from './start-app.js';
import type { Change, TestApp } from './start-app.js';
import { usageSource } from './usage-source.js';

const PATH = '/metricsvc/api/v1/reconciliations';
const owner = (n: number) => n.toString(16).padStart(24, '0');
const NONE = { _differing: {}, _differences: [], _unsettled: 0 };

describe.each(['report', 'correct'])('a reconciliation in the mode %s', (mode) => {
  let app: TestApp;
  let platform: string;
  let namespace: string;
  const filesvc = usageSource('dtplatform.filesvc.', () => app);
  const passportsvc = usageSource('dtplatform.passportsvc.', () => app);
  let client: ReturnType<typeof metricClient>;

  beforeAll(async () => {
    const environment = { USAGE_RECONCILE: mode, USAGE_RECONCILE_HOURS: '0' };
    app = await startApp({ sources: [filesvc.source, passportsvc.source], environment });
    platform = await app.as('platform', 'trusted');
    client = metricClient({ app, platform }, () => namespace);
  });
  afterAll(() => app.stop());
  beforeEach(() => {
    namespace = `tower_${newId()}`;
    for (const { hooks } of [filesvc, passportsvc])
      Object.assign(hooks, { unsettled: [], isComplete: true, during: async () => undefined });
  });

  const request = async (body: object = { _namespace: namespace }) =>
    (await app.api.post(PATH).set({ authorization: platform }).send(body).expect(202)).body._id as string;
  const ended = (id: string) =>
    eventually(
      async () => {
        const { body } = await app.api.get(`${PATH}/${id}`).set({ authorization: platform }).expect(200);
        expect(body._status).toBe('COMPLETED');
        return body;
      },
      { timeoutMs: 30_000 },
    );
  const reconcile = async (body?: object) => ended(await request(body));
  /** Changes what the service stores, and records the usage. */
  const change = async (changes: Change[]) => {
    filesvc.hold(namespace, changes);
    await app.send(namespace, changes);
  };
  const fill = async () => {
    await change([files(3), ...[1, 2, 3, 4, 5].map((n) => size(owner(n), 'v', n * 10))]);
    await change([files(-1), size(owner(2), 'v', -20), size(owner(9), 'w', 7)]);
    await app.settled();
  };
  const difference = (_dimensions: object, _metric: string, _counted: number, _recounted: number) => ({
    ...{ _namespace: namespace, _metric, _dimensions, _counted, _recounted },
  });

  it('finds no differences while messages are added or wait', async () => {
    await fill();
    const report = await reconcile();
    expect(report).toMatchObject({ ...NONE, _namespace: namespace, _namespaces: 1, _isCorrecting: mode === 'correct' });
    // Two per owner and version, and one per metric of the namespace.
    expect(report._compared).toBeGreaterThanOrEqual(2 * 5 + 7);
    // Messages stay in the outbox while no worker takes them.
    await app.pauseRelay();
    await change([files(10), size(owner(3), 'v', 100), size(owner(12), 'x', 5)]);
    expect(await reconcile()).toMatchObject(NONE);
    expect(await client.valueOf(FILE_COUNT)).toBe(2);
    await app.resumeRelay();
    await app.settled();
    expect(await client.valueOf(FILE_COUNT)).toBe(12);
    expect(await reconcile()).toMatchObject(NONE);
  });

  it('finds differences in every series', async () => {
    await fill();
    filesvc.hold(namespace, [files(1), size(owner(4), 'v', 2), size(owner(30), 'new', 4)] as UsageChange[]);
    await app.send(namespace, [size(owner(5), 'v', 6), size(owner(40), 'gone', 8)]);
    await app.settled();
    const { _differing, _differences } = await reconcile();
    const found = [
      difference({}, FILE_COUNT, 2, 3),
      ...[{}, { version: 'v' }].map((more) => difference({ file_id: owner(4), ...more }, SIZE, 40, 42)),
      ...[{}, { version: 'v' }].map((more) => difference({ file_id: owner(5), ...more }, SIZE, 56, 50)),
      ...[{}, { version: 'new' }].map((more) => difference({ file_id: owner(30), ...more }, SIZE, 0, 4)),
      ...[{}, { version: 'gone' }].map((more) => difference({ file_id: owner(40), ...more }, SIZE, 8, 0)),
    ];
    // After correcting the owners, their sum differs from the namespace's value.
    if (mode === 'correct') found.push(difference({}, SIZE, 151, 143));
    expect(_differences).toHaveLength(found.length);
    expect(_differences).toEqual(expect.arrayContaining(found));
    expect(_differing).toEqual({ [FILE_COUNT]: 1, [SIZE]: found.length - 1 });

    const again = await reconcile();
    if (mode === 'report') {
      expect(again).toMatchObject({ _differing });
      expect(await client.valueOf(FILE_COUNT)).toBe(2);
      return;
    }
    expect(again).toMatchObject(NONE);
    expect(await client.valueOf(FILE_COUNT)).toBe(3);
    expect(await client.valueOf(SIZE)).toBe(143);
    expect(await client.valueOf(SIZE, `&file_id=${owner(30)}&version=new`)).toBe(4);
    expect(values(await client.seriesOf(FILE_COUNT, Date.now() - 1, Date.now())).at(-1)).toBe(3);
  });

  const only = mode === 'report' ? it : undefined;

  only?.('compares a series once it stops changing, and otherwise leaves it unsettled', async () => {
    await fill();
    let writes = 0;
    filesvc.hooks.during = async () => {
      if (++writes > 2) return;
      await app.send(namespace, [size(owner(1), 'v', 0), files(0)]);
      await app.settled();
    };
    expect(await reconcile()).toMatchObject(NONE);
    expect(writes).toBeGreaterThan(3);

    // If it never stops changing, it is unsettled.
    filesvc.hooks.during = async () => {
      filesvc.hold(namespace, [files(1)] as UsageChange[]);
      await app.send(namespace, [files(1)]);
      await app.settled();
    };
    expect(await reconcile()).toMatchObject({ ...NONE, _unsettled: 1 });
  });

  only?.('counts what it could not compare as unsettled', async () => {
    await fill();
    filesvc.hooks.unsettled = [owner(3)];
    filesvc.hold(namespace, [size(owner(3), 'v', 1)] as UsageChange[]);
    expect(await reconcile()).toMatchObject({ ...NONE, _unsettled: 2 });
    Object.assign(filesvc.hooks, { unsettled: [], isComplete: false });
    filesvc.hold(namespace, [files(1)] as UsageChange[]);
    const report = await reconcile();
    expect(report).toMatchObject({ _differing: {}, _differences: [] });
    expect(report._unsettled).toBeGreaterThanOrEqual(2);
  });

  it('resumes after a crash, or after a service was unavailable', async () => {
    await fill();
    let failures = 3;
    filesvc.hooks.during = async () => {
      if (failures-- > 0) throw new Error('unavailable');
    };
    const id = await request();
    expect(await ended(id)).toMatchObject({ ...NONE, _namespaces: 1 });
    expect(failures).toBeLessThan(0);
    // The stored state when its process dies.
    const runs = app.mongo.db.collection<{ _id: string }>('reconciliations');
    await runs.updateOne(
      { _id: id },
      { $set: { _status: 'RUNNING', 'internal.after': '' }, $unset: { _finishedAt: 1 } },
    );
    expect(await ended(id)).toMatchObject({ _namespaces: 2 });
  });

  only?.('runs no periodic ones except one that has started, if these are disabled', async () => {
    const runs = app.mongo.db.collection<Reconciliation>('reconciliations');
    const periodic = (dueAt: Date) => newReconciliation({ id: newId(), dueAt, isPeriodic: true });
    const [due, later] = [periodic(new Date()), periodic(new Date(Date.now() + HOUR_MS))];
    const begun: Reconciliation = { ...periodic(new Date()), _status: 'RUNNING' };
    await runs.insertMany([due, later, begun]);
    expect(await ended(begun._id)).toMatchObject({ _status: 'COMPLETED' });
    expect(await runs.countDocuments({ _id: { $in: [due._id, later._id] } })).toBe(0);
    expect(await app.gauge('usage_reconcile_due_timestamp_seconds')).toBe(0);
  });

  it.each(['before', 'while'])('leaves out a namespace that is closed %s it is compared', async (when) => {
    await fill();
    const close = async () => {
      const closed = app.mongo.db.collection<{ _id: string; closedAt: Date }>('closed_namespaces');
      await closed.updateOne({ _id: namespace }, { $set: { closedAt: new Date() } }, { upsert: true });
      // Partly removed.
      await app.mongo.db.collection('series').deleteMany({ _id: new RegExp(`^${namespace}/.*${owner(3)}`) as never });
    };
    if (when === 'before') await close();
    else filesvc.hooks.during = close;
    const report = await reconcile();
    expect(report).toMatchObject({ _differing: {}, _differences: [], _namespaces: 1 });
    if (when === 'before') expect(report).toMatchObject({ _compared: 0, _unsettled: 0 });
  });

  it('keeps its corrections if a later step fails', async () => {
    await fill();
    filesvc.hold(namespace, [files(1)] as UsageChange[]);
    const stored: unknown[] = [];
    passportsvc.hooks.during = async () => {
      const run = await app.mongo.db.collection('reconciliations').findOne({ _namespace: namespace });
      stored.push(run!._differing);
      if (stored.length < 3) throw new Error('unavailable');
    };
    const found = { _differing: { [FILE_COUNT]: 1 }, _differences: [difference({}, FILE_COUNT, 2, 3)] };
    expect(await reconcile()).toMatchObject({ ...found, _namespaces: 1 });
    // What is left if the process dies now.
    const left = mode === 'correct' ? found._differing : {};
    expect(stored).toEqual([left, left, left]);
    expect(await client.valueOf(FILE_COUNT)).toBe(mode === 'correct' ? 3 : 2);
  });
});

describe('periodic reconciliations', () => {
  let app: TestApp;
  const filesvc = usageSource('dtplatform.filesvc.', () => app);
  beforeAll(async () => {
    app = await startApp({ sources: [filesvc.source] });
  });
  afterAll(() => app.stop());

  it('compare all open namespaces once a day, and report gauges', async () => {
    const spaces = ['a/b', 'a', 'closed', 'z é'];
    for (const space of spaces) await app.send(space, [files(2), size(owner(1), 'v', 5)]);
    await app.settled();
    for (const space of ['a/b', 'z é']) filesvc.hold(space, [files(2), size(owner(1), 'v', 5)] as UsageChange[]);
    const closed = app.mongo.db.collection<{ _id: string }>('closed_namespaces');
    await closed.insertOne({ _id: 'closed', closedAt: new Date() } as never);
    const runs = app.mongo.db.collection('reconciliations');
    const [next] = await eventually(async () => {
      const found = await runs.find().toArray();
      expect(found).toHaveLength(1);
      return found;
    });
    expect(next!.internal.dueAt.getTime() - Date.now()).toBeGreaterThan(23 * 3_600_000);
    expect(await app.gauge('usage_reconcile_due_timestamp_seconds')).toBe(next!.internal.dueAt.getTime() / 1000);
    expect(await app.gauge('usage_reconcile_finished_timestamp_seconds')).toBe(0);

    await runs.updateOne({ _id: next!._id }, { $set: { 'internal.dueAt': new Date() } });
    const done = await eventually(async () => {
      const found = await runs.findOne({ _id: next!._id });
      expect(found!._status).toBe('COMPLETED');
      return found!;
    });
    expect(done).toMatchObject({ _namespaces: 4, _differing: { [FILE_COUNT]: 1, [SIZE]: 2 } });
    expect(new Set(done._differences.map(({ _namespace }: { _namespace: string }) => _namespace))).toEqual(
      new Set(['a']),
    );
    expect(await app.gauge('usage_reconcile_differences')).toEqual([
      [1, { metric: FILE_COUNT }],
      [2, { metric: SIZE }],
    ]);
    expect(await app.gauge('usage_reconcile_finished_timestamp_seconds')).toBeGreaterThan(1_700_000_000);
    await eventually(async () => expect(await runs.countDocuments({ _status: 'QUEUED' })).toBe(1));
  });
});
