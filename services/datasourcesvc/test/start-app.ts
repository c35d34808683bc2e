import type { PrincipalKind } from '@dtplatform/jwt';
import { newId } from '@dtplatform/mongo';
import { eventually, startService } from '@dtplatform/testing';
import type { Component } from '../src/components/component.js';
import { Config } from '../src/config.js';
import { createApp, createDeps, createWorkerDeps, service as datasourcesvc } from '../src/service.js';
import { startOtherServices } from './other-services.js';

export const ORCHESTRATORS = '/datasourcesvc/api/v1/orchestrators';
export const RUNS = '/datasourcesvc/api/v1/orchrun';

/** A component that accepts any parameters unless a test overrides it. */
export type TestComponent = Pick<Component, 'name' | 'run'> & Partial<Component>;

interface Options {
  environment?: Record<string, string>;
  components?: TestComponent[];
  /** Where the owner has all permissions. */
  namespaces?: string[];
}

const complete = (component: TestComponent): Component => ({
  description: 'Of a test.',
  mayRunAgain: true,
  parameters: {},
  check: () => [],
  ...component,
});

type Headers = Record<'authorization', string>;

const MAX_RUNS = 100;

/** A task of an orchestrator. */
export const step = (_orchcomp: string, _actualparams?: object, _sequenceno = 1) => ({
  _orchcomp,
  _sequenceno,
  _actualparams,
});

/** The application on a separate database, with an owner, and workers that a test can start and stop. */
export async function startApp({
  environment = {},
  components: declared = [],
  namespaces = ['tower_1'],
}: Options = {}) {
  const components = declared.map(complete);
  const service = await startService({
    ...datasourcesvc,
    Config,
    createApp,
    createDeps: ({ config, sources, ...context }) => createDeps(config, context, { ...sources, components }),
    startWorker: async ({ config, sources, ...context }, options) =>
      datasourcesvc.startJobs(await createWorkerDeps(config, context, { ...sources, components }), options),
    environment,
  });
  const { api, mongo } = service;
  const owner = { authorization: await service.as('olga') };
  for (const namespace of namespaces) await service.grants.allow('olga', namespace, '*:*:*', ['*']);
  const as = async (id: string, kind?: PrincipalKind) => ({ authorization: await service.as(id, kind) });
  const getRun = async (headers: Headers, id: string, namespace = 'tower_1') =>
    (await api.get(`${RUNS}/${id}?nsfilter=${namespace}`).set(headers).expect(200)).body[0];
  const post = (body: object, headers: Headers = owner, namespace = 'tower_1') => {
    const whole = { _name: `orchestrator ${Math.random()}`, _params: { tasks: [step('wait', { ms: 1 })] }, ...body };
    return api.post(`${ORCHESTRATORS}?nsfilter=${namespace}`).set(headers).send(whole);
  };
  const start = (orchestratorId: string, headers: Headers = owner, namespace = 'tower_1') =>
    api.post(`${ORCHESTRATORS}/${orchestratorId}/run?nsfilter=${namespace}`).set(headers);
  const create = async (headers: Headers, tasks: object[], more: object = {}) =>
    (await post({ _params: { tasks }, ...more }, headers).expect(200)).body;
  const run = async (headers: Headers, orchestratorId: string, body?: object) =>
    (await start(orchestratorId, headers).send(body).expect(200)).body;

  return {
    ...service,
    owner,
    as,
    /** A user with these permissions on orchestrators in the first namespace. */
    person: async (actions: Parameters<typeof service.grants.allow>[3]) => {
      const name = newId();
      await service.grants.allow(name, 'tower_1', 'datasourcesvc:orchestrator:*', actions);
      return { name, headers: await as(name) };
    },
    getRun,
    /** Stored runs, as the driver returns them. */
    runs: mongo.db.collection<{ _id: string }>('orchestrator_runs'),
    /** A request to create an orchestrator, by default one that waits. */
    post,
    /** A request to change an orchestrator. */
    put: (id: string, body: object, headers: Headers = owner, namespace = 'tower_1') => {
      const change = { _params: {}, ...body };
      return api.put(`${ORCHESTRATORS}/${id}?nsfilter=${namespace}`).set(headers).send(change);
    },
    /** Creates an orchestrator from these tasks. */
    create,
    /** A request to run an orchestrator. */
    start,
    run,
    /** Runs these tasks in the request. */
    runAtOnce: async (...tasks: object[]) => run(owner, (await create(owner, tasks, { instant: true })).id),
    /** Works on queued or lost runs, like a worker. @returns their number */
    async processRuns(shutdown = new AbortController().signal): Promise<number> {
      const { runStore, execution } = service.deps;
      const claimed = [await runStore.claimQueued(MAX_RUNS), await runStore.claimLost(MAX_RUNS)].flat();
      await Promise.all(claimed.map((run) => execution.process(run, shutdown)));
      return claimed.length;
    },
    /** Makes the heartbeat of the run's process overdue, even for a step that may not be repeated. */
    lose: (_id: string) =>
      mongo.db
        .collection<{ _id: string }>('orchestrator_runs')
        .updateOne({ _id }, { $set: { '_work.lease.until': new Date(Date.now() - 60_000) } }),
    /** Waits until a run has a status. @returns the run */
    untilStatus: (headers: Headers, id: string, status: string) =>
      eventually(
        async () => {
          const run = await getRun(headers, id);
          if (run._status !== status)
            throw new Error(`the run is ${run._status}, not ${status}: ${JSON.stringify(run)}`);
          return run;
        },
        { timeoutMs: 20_000 },
      ),
  };
}

/** The application beside a fake of the services that steps call. */
export async function startAppWithOthers(options: Options = {}) {
  const others = await startOtherServices();
  const app = await startApp({ ...options, environment: { ...others.environment, ...options.environment } });
  const stop = async () => {
    await app.stop();
    await others.stop();
  };
  return { ...app, others, stop };
}
