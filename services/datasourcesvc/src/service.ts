import { createPendingGrants, newId } from '@dtplatform/mongo';
import { createOutbox } from '@dtplatform/queue';
import {
  createAccess,
  createServiceApp,
  defineService,
  openBackends,
  passportsvcUrl,
  permissionsOf,
} from '@dtplatform/runtime';
import type { AccessSources, ProcessContext } from '@dtplatform/runtime';
import { createComponentCalls } from './componentcalls/component-calls.js';
import { createComponentCallStore } from './componentcalls/component-calls.store.js';
import { componentcalls } from './componentcalls/componentcalls.module.js';
import { createBuiltInComponents } from './components/built-in.client.js';
import type { Component } from './components/component.js';
import { createComponents } from './components/components.js';
import { components } from './components/components.module.js';
import { createRegisteredComponentStore } from './components/components.store.js';
import type { Config } from './config.js';
import { createOrchestrators } from './orchestrators/orchestrators.js';
import { orchestrators } from './orchestrators/orchestrators.module.js';
import { createOrchestratorStore } from './orchestrators/orchestrators.store.js';
import { remoteProfiles } from './orchestrators/profiles.client.js';
import { ownerRights } from './orchestrators/rights.js';
import { createScheduler } from './orchestrators/scheduler.js';
import { createScheduleStore } from './orchestrators/schedules.store.js';
import { createCancellations } from './orchrun/cancellations.client.js';
import { namespaceJobs, orchrun, runJobs } from './orchrun/orchrun.module.js';
import { createRunExecution } from './orchrun/run-execution.js';
import { createRunWorker } from './orchrun/runs.job.js';
import { createRuns } from './orchrun/runs.js';
import { createRunStore } from './orchrun/runs.store.js';
import { createEventStreams } from './orchrun/server-sent-events.http.js';

export const service = defineService({
  name: 'datasourcesvc',
  title: 'Orchestrators',
  description: 'Ordered lists of components, and their runs.',
  documents: new URL('../', import.meta.url),
  resources: [components, componentcalls, orchestrators, orchrun, permissionsOf('datasourcesvc')],
  hasOutbox: true,
  namespaceJobs,
});

/** External dependencies; tests pass their own. */
interface Ports extends AccessSources {
  /** Added to the built-in components. */
  components?: Component[];
}

/** The dependencies of the API. */
export type Deps = Awaited<ReturnType<typeof createDeps>>;

export async function createDeps(config: Config, context: ProcessContext, ports: Ports = {}) {
  const backends = await openBackends(service, config, context);
  const { mongo, redis, actAs, log, lifecycle } = backends;
  const cancellations = await createCancellations({ redis, redisUrl: config.REDIS_URL, log });
  lifecycle.onStop('cancellations', () => cancellations.close());
  const access = createAccess(backends, config, ports);
  const rights = ownerRights(access.grantCache);
  const profiles = remoteProfiles(backends.serviceClient(passportsvcUrl(config.TOKEN_URL)));

  const outbox = createOutbox(mongo);
  const pendingGrants = createPendingGrants(mongo, access.grants, log);
  const orchestratorStore = createOrchestratorStore(mongo, pendingGrants);
  const runStore = createRunStore({ mongo, outbox, queued: runJobs.messages['run.queued'] });
  const scheduleStore = createScheduleStore({ mongo, runStore });

  const componentCalls = createComponentCalls({ callStore: createComponentCallStore({ mongo, outbox }), runStore });
  const allComponents = createComponents({
    builtIn: [...createBuiltInComponents(backends, config), ...(ports.components ?? [])],
    registered: createRegisteredComponentStore(mongo),
    callWorker: componentCalls.work,
  });
  const execution = createRunExecution({ runStore, components: allComponents, actAs, cancellations, log });
  const newRuns = { newId, instantLimitMs: config.INSTANT_RUN_LIMIT_MS };
  return {
    ...backends,
    checks: { ...backends.checks, ...access.checks },
    authenticate: access.authenticate,
    config,
    pendingGrants,
    cancellations,
    componentCalls,
    components: allComponents,
    orchestrators: createOrchestrators({
      orchestratorStore,
      scheduleStore,
      components: allComponents,
      profiles,
      ownerRights: rights,
      newId,
    }),
    scheduler: createScheduler({ scheduleStore, rights, actAs, log, ...newRuns }),
    runStore,
    execution,
    runs: createRuns({ orchestratorStore, runStore, components: allComponents, execution, cancellations, ...newRuns }),
    eventStreams: createEventStreams({ isStopping: () => lifecycle.stopping, log }),
  };
}

export const createApp = (deps: Deps) => createServiceApp(service.createApi(deps), deps);

/** The dependencies of the worker. */
export async function createWorkerDeps(config: Config, context: ProcessContext, ports?: Ports) {
  const deps = await createDeps(config, context, ports);
  const { runStore, execution, log } = deps;
  const runWorker = createRunWorker({ runStore, execution, places: config.RUNS_AT_ONCE, log });
  return { ...deps, runWorker };
}
