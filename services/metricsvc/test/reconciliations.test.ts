import { beforeEach, describe, expect, it } from '@jest/globals';
import { newId } from '@dtplatform/mongo';
import { eventually } from '@dtplatform/testing';
import { newReconciliation } from '../src/reconciliations/reconciliation.js';
import type { Reconciliation } from '../src/reconciliations/reconciliation.js';
import { FILE_COUNT, files, HOUR_MS, metricClient, SIZE, size, values } from './metric-client.js';
import { openApp } from './start-app.js';
import type { Change } from './start-app.js';
import { usageSource } from './usage-source.js';

const PATH = '/metricsvc/api/v1/reconciliations';
const NONE = { _differing: {}, _differences: [], _unsettled: 0 };
const owner = (n: number) => n.toString(16).padStart(24, '0');

let namespace: string;
beforeEach(() => {
  namespace = `tower_${newId()}`;
});
const difference = (_dimensions: object, _metric: string, _counted: number, _recounted: number) => ({
  ...{ _namespace: namespace, _metric, _dimensions, _counted, _recounted },
});

/** An application whose usage is that of two services. */
async function open(environment: Record<string, string>) {
  const filesvc = usageSource('dtplatform.filesvc.', () => here.app);
  const passportsvc = usageSource('dtplatform.passportsvc.', () => here.app);
  const here = await openApp({ sources: [filesvc.source, passportsvc.source], environment });
  const { app, platform } = here;
  beforeEach(() => {
    for (const { hooks } of [filesvc, passportsvc])
      Object.assign(hooks, { unsettled: [], isComplete: true, during: async () => undefined });
  });

  const request = async () => {
    const call = app.api.post(PATH).set({ authorization: platform });
    return (await call.send({ _namespace: namespace }).expect(202)).body._id as string;
  };
  const ended = (id: string) =>
    eventually(async () => {
      const { body } = await app.api.get(`${PATH}/${id}`).set({ authorization: platform }).expect(200);
      expect(body._status).toBe('COMPLETED');
      return body;
    });
  /** Changes what the service stores, and records the usage. */
  const change = async (changes: Change[]) => {
    filesvc.hold(namespace, changes);
    await app.send(namespace, changes);
  };
  return {
    ...{ app, filesvc, passportsvc, request, ended, change },
    ...metricClient(here, () => namespace),
    runs: app.mongo.db.collection<Reconciliation>('reconciliations'),
    hold: (...changes: Change[]) => filesvc.hold(namespace, changes),
    reconcile: async () => ended(await request()),
    fill: async () => {
      await change([files(3), ...[1, 2, 3, 4, 5].map((n) => size(owner(n), 'v', n * 10))]);
      await change([files(-1), size(owner(2), 'v', -20), size(owner(9), 'w', 7)]);
      await app.settled();
    },
  };
}

const correcting = await open({ USAGE_RECONCILE: 'correct', USAGE_RECONCILE_HOURS: '0' });
const periodic = await open({});

/** Makes what the service stores differ from the metrics. @returns the differences */
async function differ({ app, fill, hold }: typeof correcting) {
  await fill();
  hold(files(1), size(owner(4), 'v', 2), size(owner(30), 'new', 4));
  await app.send(namespace, [size(owner(5), 'v', 6), size(owner(40), 'gone', 8)]);
  await app.settled();
  const ofOwner = (n: number, version: string, counted: number, recounted: number) =>
    [{}, { version }].map((more) => difference({ file_id: owner(n), ...more }, SIZE, counted, recounted));
  return [
    ...[difference({}, FILE_COUNT, 2, 3), ...ofOwner(4, 'v', 40, 42), ...ofOwner(5, 'v', 56, 50)],
    ...[...ofOwner(30, 'new', 0, 4), ...ofOwner(40, 'gone', 8, 0)],
  ];
}

describe('a reconciliation', () => {
  const { app, runs, filesvc, passportsvc, hold, fill, change, request, ended, reconcile } = correcting;
  const { valueOf, seriesOf } = correcting;

  it('finds no differences while messages are added or wait', async () => {
    await fill();
    const report = await reconcile();
    expect(report).toMatchObject({ ...NONE, _namespace: namespace, _namespaces: 1, _isCorrecting: true });
    // Two per owner and version, and one per metric of the namespace.
    expect(report._compared).toBeGreaterThanOrEqual(2 * 5 + 7);
    // Messages stay in the outbox while no worker takes them.
    await app.pauseRelay();
    await change([files(10), size(owner(3), 'v', 100), size(owner(12), 'x', 5)]);
    expect(await reconcile()).toMatchObject(NONE);
    expect(await valueOf(FILE_COUNT)).toBe(2);
    await app.resumeRelay();
    await app.settled();
    expect(await valueOf(FILE_COUNT)).toBe(12);
    expect(await reconcile()).toMatchObject(NONE);
  });

  it('finds and corrects differences in every series', async () => {
    // After correcting the owners, their sum differs from the namespace's value.
    const found = [...(await differ(correcting)), difference({}, SIZE, 151, 143)];
    const { _differing, _differences } = await reconcile();
    expect(_differences).toHaveLength(found.length);
    expect(_differences).toEqual(expect.arrayContaining(found));
    expect(_differing).toEqual({ [FILE_COUNT]: 1, [SIZE]: found.length - 1 });
    expect(await reconcile()).toMatchObject(NONE);
    expect([await valueOf(FILE_COUNT), await valueOf(SIZE)]).toEqual([3, 143]);
    expect(await valueOf(SIZE, `&file_id=${owner(30)}&version=new`)).toBe(4);
    expect(values(await seriesOf(FILE_COUNT, Date.now() - 1, Date.now())).at(-1)).toBe(3);
  });

  it('compares a series once it stops changing, and otherwise leaves it unsettled', async () => {
    await fill();
    let writes = 0;
    filesvc.hooks.during = async () => {
      if (++writes > 2) return;
      await app.send(namespace, [size(owner(1), 'v', 0), files(0)]);
      await app.settled();
    };
    expect(await reconcile()).toMatchObject(NONE);
    expect(writes).toBeGreaterThan(3);

    filesvc.hooks.during = async () => {
      await change([files(1)]);
      await app.settled();
    };
    expect(await reconcile()).toMatchObject({ ...NONE, _unsettled: 1 });
  });

  it('counts what it could not compare as unsettled', async () => {
    await fill();
    filesvc.hooks.unsettled = [owner(3)];
    hold(size(owner(3), 'v', 1));
    expect(await reconcile()).toMatchObject({ ...NONE, _unsettled: 2 });
    Object.assign(filesvc.hooks, { unsettled: [], isComplete: false });
    hold(files(1));
    const report = await reconcile();
    expect(report).toMatchObject({ _differing: {}, _differences: [] });
    expect(report._unsettled).toBeGreaterThanOrEqual(2);
  });

  it('resumes after a crash', async () => {
    await fill();
    const id = await request();
    expect(await ended(id)).toMatchObject({ ...NONE, _namespaces: 1 });
    // The stored state when its process dies.
    const dead = { $set: { _status: 'RUNNING' as const, 'internal.after': '' }, $unset: { _finishedAt: 1 as const } };
    await runs.updateOne({ _id: id }, dead);
    expect(await ended(id)).toMatchObject({ _namespaces: 2 });
  });

  it('does not run periodically if that is disabled, unless it has started', async () => {
    const planned = (dueAt: Date) => newReconciliation({ id: newId(), dueAt, isPeriodic: true });
    const [due, later] = [planned(new Date()), planned(new Date(Date.now() + HOUR_MS))];
    const begun: Reconciliation = { ...planned(new Date()), _status: 'RUNNING' };
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
    hold(files(1));
    const stored: unknown[] = [];
    passportsvc.hooks.during = async () => {
      stored.push((await runs.findOne({ _namespace: namespace }))!._differing);
      if (stored.length < 3) throw new Error('unavailable');
    };
    const _differing = { [FILE_COUNT]: 1 };
    const report = await reconcile();
    expect(report).toMatchObject({ _differing, _differences: [difference({}, FILE_COUNT, 2, 3)], _namespaces: 1 });
    // What is left if the process dies now.
    expect(stored).toEqual([_differing, _differing, _differing]);
    expect(await valueOf(FILE_COUNT)).toBe(3);
  });
});

describe('a reconciliation without corrections', () => {
  const { app, runs, filesvc, passportsvc, reconcile, valueOf } = periodic;

  it('compares all open namespaces once a day, and reports gauges', async () => {
    const usage = [files(2), size(owner(1), 'v', 5)];
    for (const space of ['a/b', 'a', 'closed', 'z é']) await app.send(space, usage);
    await app.settled();
    for (const space of ['a/b', 'z é']) filesvc.hold(space, usage);
    const closed = app.mongo.db.collection<{ _id: string }>('closed_namespaces');
    await closed.insertOne({ _id: 'closed', closedAt: new Date() } as never);
    const [next] = await eventually(async () => {
      const found = await runs.find().toArray();
      expect(found).toHaveLength(1);
      return found;
    });
    const { _id, internal } = next!;
    expect(internal.dueAt.getTime() - Date.now()).toBeGreaterThan(23 * HOUR_MS);
    expect(await app.gauge('usage_reconcile_due_timestamp_seconds')).toBe(internal.dueAt.getTime() / 1000);
    expect(await app.gauge('usage_reconcile_finished_timestamp_seconds')).toBe(0);

    await runs.updateOne({ _id }, { $set: { 'internal.dueAt': new Date() } });
    const done = await eventually(async () => {
      const found = await runs.findOne({ _id });
      expect(found!._status).toBe('COMPLETED');
      return found!;
    });
    expect(done).toMatchObject({ _namespaces: 4, _differing: { [FILE_COUNT]: 1, [SIZE]: 2 } });
    expect(new Set(done._differences.map(({ _namespace }) => _namespace))).toEqual(new Set(['a']));
    const byMetric = [FILE_COUNT, SIZE].map((metric, n) => [n + 1, { metric }]);
    expect(await app.gauge('usage_reconcile_differences')).toEqual(byMetric);
    expect(await app.gauge('usage_reconcile_finished_timestamp_seconds')).toBeGreaterThan(1_700_000_000);
    await eventually(async () => expect(await runs.countDocuments({ _status: 'QUEUED' })).toBe(1));
  });

  it('reports each difference once, even if a step fails, and changes nothing', async () => {
    const found = await differ(periodic);
    let failures = 2;
    passportsvc.hooks.during = async () => {
      if (failures-- > 0) throw new Error('unavailable');
    };
    for (let round = 0; round < 2; round++) {
      const { _differing, _differences } = await reconcile();
      expect(_differences).toHaveLength(found.length);
      expect(_differences).toEqual(expect.arrayContaining(found));
      expect(_differing).toEqual({ [FILE_COUNT]: 1, [SIZE]: found.length - 1 });
    }
    expect(failures).toBeLessThan(0);
    expect(await valueOf(FILE_COUNT)).toBe(2);
  });
});
