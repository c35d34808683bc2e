import supertest from 'supertest';
import { loadConfig } from '@dtplatform/config';
import { createLifecycle } from '@dtplatform/lifecycle';
import { createLogger } from '@dtplatform/logging';
import { ensureIndexes } from '@dtplatform/mongo';
import { createGrantTable, createTestTokens, eventually, testEnvironment } from '@dtplatform/testing';
import type { GrantTable } from '@dtplatform/testing';
import { createApp } from '../src/app.js';
import { Config } from '../src/config.js';
import { createDeps } from '../src/deps.js';
import type { Deps } from '../src/deps.js';
import type { Component } from '../src/domain/components/component.js';
import { startJobs } from '../src/jobs/start-jobs.js';
import { indexes } from '../src/store/indexes.js';

export const ORCHESTRATORS = '/datasourcesvc/api/v1/orchestrators';
export const RUNS = '/datasourcesvc/api/v1/orchrun';

interface Options {
  environment?: Record<string, string>;
  components?: Component[];
}

export type TestApp = Awaited<ReturnType<typeof startApp>>;

/** The application on its own database, with workers that a test can start and stop. */
export async function startApp({ environment = {}, components = [] }: Options = {}) {
  const config = loadConfig(Config, testEnvironment('datasourcesvc', environment));
  const log = createLogger({ service: 'test', level: config.LOG_LEVEL });
  const tokens = await createTestTokens();
  let table: GrantTable | undefined;

  async function createProcess(graceMs = 5000): Promise<Deps> {
    const lifecycle = createLifecycle({ log, graceMs });
    return createDeps(
      { ...config, SHUTDOWN_GRACE_MS: graceMs },
      { log, lifecycle },
      { keys: tokens.keys, components, grants: (_mongo, redis) => (table ??= createGrantTable(redis.client)) },
    );
  }

  const deps = await createProcess();
  const grants = table!;
  await ensureIndexes(deps.mongo.db, indexes);
  const api = supertest(createApp(deps));
  const as = async (id: string, kind: 'user' | 'trusted' | 'app' = 'user') => ({
    authorization: `Bearer ${await tokens.issue({ id, kind, appId: kind === 'user' ? 'app' : id })}`,
  });
  const getRun = async (headers: { authorization: string }, id: string, namespace = 'tower_1') =>
    (await api.get(`${RUNS}/${id}?nsfilter=${namespace}`).set(headers).expect(200)).body[0];
  const stopWorkers: (() => Promise<void>)[] = [];

  return {
    api,
    deps,
    grants,
    as,
    getRun,
    /** Creates an orchestrator from these tasks. */
    async create(headers: { authorization: string }, tasks: object[], more: object = {}) {
      const _name = `orchestrator ${Math.random()}`;
      const body = { _name, _params: { tasks }, ...more };
      return (await api.post(`${ORCHESTRATORS}?nsfilter=tower_1`).set(headers).send(body).expect(200)).body;
    },
    async run(headers: { authorization: string }, orchestratorId: string, body?: object) {
      const request = api.post(`${ORCHESTRATORS}/${orchestratorId}/run?nsfilter=tower_1`).set(headers);
      return (await request.send(body).expect(200)).body;
    },
    /** Waits until a run has a status. @returns the run */
    untilStatus: (headers: { authorization: string }, id: string, status: string) =>
      eventually(
        async () => {
          const run = await getRun(headers, id);
          if (run._status !== status)
            throw new Error(`the run is ${run._status}, not ${status}: ${JSON.stringify(run)}`);
          return run;
        },
        { timeoutMs: 20_000 },
      ),
    /** A worker in this process. With a grace period of 0 it stops without waiting for its jobs. */
    async startWorker(graceMs = 5000) {
      const worker = await createProcess(graceMs);
      await startJobs(worker, { queuePrefix: config.MONGO_DB });
      const stop = () => worker.lifecycle.stop('the test stops this worker');
      stopWorkers.push(stop);
      return { stop, deps: worker };
    },
    async stop() {
      await Promise.all(stopWorkers.map((stop) => stop()));
      await deps.mongo.db.dropDatabase();
      await deps.lifecycle.stop('the test is over');
    },
  };
}
