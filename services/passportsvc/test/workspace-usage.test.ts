import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { UsageRecorded } from '@dtplatform/contracts';
import { schema } from '../src/store/schema.js';
import { appClient } from './app-client.js';
import { startApp } from './start-app.js';
import type { TestApp } from './start-app.js';

const WORKSPACES = '/passportsvc/api/v1/workspaces';

describe('usage of workspaces', () => {
  let app: TestApp;
  let authorization: string;

  beforeAll(async () => {
    app = await startApp();
    const client = await appClient(app);
    authorization = await client.signIn(await client.createUser('olga'));
  });
  afterAll(() => app.stop());

  const create = async (count = 1) => {
    const body = Array.from({ length: count }, () => ({}));
    const reply = await app.api.post(WORKSPACES).set({ authorization }).send(body).expect(201);
    return reply.body._list as { _id: string; _namespaces: string[] }[];
  };
  const messages = () =>
    app.mongo.db.collection<{ _id: string }>('outbox').find({ queue: 'metricsvc.usage' }).toArray();
  /** The sums of all that waits in the outbox (no relay runs), by namespace. */
  const counts = async () => {
    const sums = new Map<string, number>();
    for (const entry of await messages()) {
      const { _namespace, _changes } = UsageRecorded.parse((entry as unknown as { payload: unknown }).payload);
      expect(_changes).toEqual([
        { _metric: 'dtplatform.passportsvc.WorkspaceCount', _dimensions: {}, _amount: expect.any(Number) },
      ]);
      sums.set(_namespace, (sums.get(_namespace) ?? 0) + _changes[0]!._amount);
    }
    return sums;
  };

  it('counts each workspace in its namespaces, until it is deleted', async () => {
    const [kept, gone] = await create(2);
    const [namespace] = kept!._namespaces;
    const [left] = gone!._namespaces;
    expect([(await counts()).get(namespace!), (await counts()).get(left!)]).toEqual([1, 1]);
    await app.api.delete(`${WORKSPACES}/${gone!._id}`).set({ authorization }).expect(204);
    expect([(await counts()).get(namespace!), (await counts()).get(left!)]).toEqual([1, 0]);
  });

  it('counts it no longer in a namespace that it leaves', async () => {
    const [workspace] = await create();
    // Only the platform adds namespaces to a workspace.
    const two = [...workspace!._namespaces, `${workspace!._namespaces[0]!}_b`];
    const workspaces = app.mongo.db.collection<{ _id: string }>('workspaces');
    await workspaces.updateOne({ _id: workspace!._id }, { $set: { _namespaces: two } });
    const put = (body: object) => app.api.put(`${WORKSPACES}/${workspace!._id}`).set({ authorization }).send(body);
    await put({ _name: 'Same' }).expect(200);
    expect((await counts()).get(two[0]!)).toBe(1);
    expect((await counts()).has(two[1]!)).toBe(false);
    await put({ _namespaces: [two[0]] }).expect(200);
    expect((await counts()).get(two[0]!)).toBe(1);
    expect((await counts()).get(two[1]!)).toBe(-1);
  });

  it('counts the workspaces of earlier versions once, however often the migration runs', async () => {
    const made = await create(3);
    const own = made.flatMap(({ _namespaces }) => _namespaces);
    const outbox = app.mongo.db.collection('outbox');
    await outbox.deleteMany({ 'payload._namespace': { $in: own } });
    const migration = schema.migrations.find(({ id }) => id === '0004-workspace-usage')!;
    for (let times = 0; times < 2; times++) await migration.up(app.mongo.db, new AbortController().signal);
    const after = await counts();
    expect(own.map((namespace) => after.get(namespace))).toEqual([1, 1, 1]);
    // By their fixed ids metricsvc knows them when a repeated migration sends them again.
    const ids = (await messages()).map(({ _id }) => _id);
    expect(ids).toEqual(expect.arrayContaining(made.map(({ _id }) => `workspace-${_id}-0`)));
  });
});
