import { newId } from '@dtplatform/mongo';
import { ORCHESTRATORS, startAppWithOthers, step } from './start-app.js';
import type { TestApp } from './start-app.js';

type Headers = Record<'authorization', string>;

export const IRN = 'datasourcesvc:orchestrator';
export const HOUR_MS = 3_600_000;
export const tasks = [step('wait', { ms: 1 })];
export const hourly = { _class: 'SCHEDULED', _orchschedule: { runinterval: '1 * *' } };

/** The application beside other services, with an owner of everything, and helpers for schedules. */
export async function startScheduledApp() {
  const app = await startAppWithOthers({ namespaces: ['tower_1', 'bridge_2', 'flood_3'] });
  const { others, owner } = app;

  const at = (id: string, namespace = 'tower_1') => `${ORCHESTRATORS}/${id}?nsfilter=${namespace}`;
  const post = (body: object, headers: Headers = owner, namespace = 'tower_1') =>
    app.api
      .post(`${ORCHESTRATORS}?nsfilter=${namespace}`)
      .set(headers)
      .send({ _name: `orchestrator ${Math.random()}`, _params: { tasks }, ...body });
  const stored = app.mongo.db.collection<{ _id: string }>('orchestrators');

  return {
    ...app,
    at,
    post,
    stored,
    schedule: async (body: object = hourly, headers = owner) =>
      (await post(body, headers).expect(200)).body.id as string,
    read: async (id: string) => (await app.api.get(at(id)).set(owner).expect(200)).body,
    put: (id: string, body: object, headers: Headers = owner, namespace?: string) =>
      app.api
        .put(at(id, namespace))
        .set(headers)
        .send({ _params: {}, ...body }),
    /** Pretends that the schedule was due some milliseconds ago. */
    async makeDue(id: string, agoMs = 1000) {
      const time = Date.now() - agoMs;
      await stored.updateOne({ _id: id }, { $set: { '_schedule.dueAt': time, '_schedule.tryAt': time } });
      return time;
    },
    startDue: (deps = app.deps) => deps.scheduler.startDue(new AbortController().signal),
    runsOf: (id: string) =>
      app.runs.find<{ _id: string; _status: string; _work: { namespace: string } }>({ _orchid: id }).toArray(),
    /** A user with these permissions in the first namespace. */
    async person(actions: Parameters<TestApp['grants']['allow']>[3]) {
      const name = newId();
      await app.grants.allow(name, 'tower_1', `${IRN}:*`, actions);
      return { name, headers: await app.as(name) };
    },
    /** Removes what a test has left. */
    async clear() {
      others.will({ put: 200, statuses: ['LOADED'] });
      await app.runs.deleteMany({});
      await stored.deleteMany({});
    },
  };
}
