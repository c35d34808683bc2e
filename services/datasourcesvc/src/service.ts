import type { Express } from 'express';
import { workspaceDeleted } from '@dtplatform/contracts';
import { createEgress } from '@dtplatform/egress';
import { startSweep } from '@dtplatform/lease';
import type { NamedLease } from '@dtplatform/lease';
import {
  createLease,
  createPendingGrants,
  defineSchema,
  grantMarkModel,
  newId,
  parentLockModel,
} from '@dtplatform/mongo';
import type { PendingGrants } from '@dtplatform/mongo';
import { createOutbox, emptyNamespaces, queueModels, startRelay, startWorker } from '@dtplatform/queue';
import type { NamespaceContents } from '@dtplatform/queue';
import { createSandbox } from '@dtplatform/sandbox';
import {
  createAccess,
  createServiceApp,
  openBackends,
  passportsvcUrl,
  permissionRoutes,
  sharedTags,
} from '@dtplatform/service';
import type { AccessSources, Backends, Jobs, ProcessContext, ServiceApi, ServiceDeps } from '@dtplatform/service';
import { createComponentCalls } from './componentcalls/component-calls.js';
import type { ComponentCalls } from './componentcalls/component-calls.js';
import { componentCallModel, createComponentCallStore } from './componentcalls/component-calls.store.js';
import { componentCallRoutes } from './componentcalls/componentcalls.routes.js';
import { builtInComponents } from './components/built-in.client.js';
import type { StepTools } from './components/built-in.client.js';
import type { Component } from './components/component.js';
import { createComponents } from './components/components.js';
import type { Components } from './components/components.js';
import { componentRoutes } from './components/components.routes.js';
import { createRegisteredComponentStore, registeredComponentModel } from './components/components.store.js';
import type { Config } from './config.js';
import { orchestratorModel } from './orchestrators/orchestrator.model.js';
import { createOrchestrators } from './orchestrators/orchestrators.js';
import type { Orchestrators } from './orchestrators/orchestrators.js';
import { startScheduledRuns } from './orchestrators/orchestrators.module.js';
import { orchestratorRoutes } from './orchestrators/orchestrators.routes.js';
import { createOrchestratorStore } from './orchestrators/orchestrators.store.js';
import { remoteProfiles } from './orchestrators/profiles.client.js';
import { ownerRights } from './orchestrators/rights.js';
import { createScheduler } from './orchestrators/scheduler.js';
import type { Scheduler } from './orchestrators/scheduler.js';
import { createScheduleStore } from './orchestrators/schedules.store.js';
import { createCancellations } from './orchrun/cancellations.client.js';
import { createNamespaceContents } from './orchrun/namespaces.store.js';
import { namespaceJobs, runJobs } from './orchrun/orchrun.module.js';
import { runRoutes } from './orchrun/orchrun.routes.js';
import { createRunExecution } from './orchrun/run-execution.js';
import type { RunExecution } from './orchrun/run-execution.js';
import { runModel } from './orchrun/run.model.js';
import { createRunWorker, removeOldRuns } from './orchrun/runs.job.js';
import { createRuns } from './orchrun/runs.js';
import type { Runs } from './orchrun/runs.js';
import { createRunStore } from './orchrun/runs.store.js';
import type { RunStore } from './orchrun/runs.store.js';
import { createEventStreams } from './orchrun/server-sent-events.http.js';
import type { EventStreams } from './orchrun/server-sent-events.http.js';

export const createApi = (deps: Deps): ServiceApi => ({
  title: 'Orchestrators',
  description: 'Ordered lists of system components, and their runs.',
  tags: {
    ...sharedTags,
    components: 'What steps of orchestrators can do.',
    componentCalls: 'Steps whose components are served by other processes. For these processes.',
    orchestrators: 'Ordered lists of steps.',
    runs: 'Executions of orchestrators.',
  },
  documents: new URL('../', import.meta.url),
  mounts: [
    {
      prefix: '/datasourcesvc/api/v1',
      tables: [
        componentRoutes(deps),
        componentCallRoutes(deps),
        orchestratorRoutes(deps),
        runRoutes(deps),
        permissionRoutes('datasourcesvc', deps),
      ],
    },
  ],
});

export const createApp = (deps: Deps): Express => createServiceApp(createApi(deps), deps);

export interface Deps extends ServiceDeps {
  config: Config;
  components: Components;
  componentCalls: ComponentCalls;
  orchestrators: Orchestrators;
  scheduler: Scheduler;
  runs: Runs;
  execution: RunExecution;
  runStore: RunStore;
  eventStreams: EventStreams;
  historyLease: NamedLease;
  namespaceContents: NamespaceContents;
  pendingGrants: PendingGrants;
}

/** What lies outside this service; tests pass their own. */
export interface Ports extends AccessSources {
  /** Added to the built-in components. */
  components?: Component[];
}

/** Constructs everything, for the service and for its workers. */
export async function createDeps(config: Config, context: ProcessContext, ports: Ports = {}): Promise<Deps> {
  const backends = await openBackends({ name: 'datasourcesvc', schema }, config, context);
  const { mongo, redis, log, lifecycle } = backends;
  const cancellations = await createCancellations({ redis, redisUrl: config.REDIS_URL, log });
  lifecycle.onStop('cancellations', () => cancellations.close());

  const access = createAccess(backends, config, ports);
  const pendingGrants = createPendingGrants(mongo, access.grants, log);
  const orchestratorStore = createOrchestratorStore(mongo, pendingGrants);
  const outbox = createOutbox(mongo);
  const runStore = createRunStore({ mongo, outbox, queued: runJobs.messages['run.queued'] });

  const profiles = remoteProfiles(backends.serviceClient(passportsvcUrl(config.TOKEN_URL)));
  const componentCalls = createComponentCalls({ callStore: createComponentCallStore({ mongo, outbox }), runStore });
  const components = createComponents({
    builtIn: [...builtInComponents(stepTools(backends, config)), ...(ports.components ?? [])],
    registered: createRegisteredComponentStore(mongo),
    callWorker: componentCalls.work,
  });
  const execution = createRunExecution({ runStore, components, actAs: backends.actAs, cancellations, log });
  const instantLimitMs = config.INSTANT_RUN_LIMIT_MS;

  const rights = ownerRights(access.grantCache);
  const scheduleStore = createScheduleStore({ mongo, runStore });
  const scheduler = createScheduler({
    scheduleStore,
    rights,
    actAs: backends.actAs,
    newId,
    instantLimitMs,
    log,
  });
  return {
    ...backends,
    checks: { ...backends.checks, ...access.checks },
    authenticate: access.authenticate,
    config,
    components,
    componentCalls,
    orchestrators: createOrchestrators({
      orchestratorStore,
      scheduleStore,
      components,
      profiles,
      ownerRights: rights,
      newId,
    }),
    scheduler,
    runs: createRuns({ orchestratorStore, runStore, components, execution, cancellations, newId, instantLimitMs }),
    execution,
    runStore,
    eventStreams: createEventStreams({ isStopping: () => lifecycle.stopping, log }),
    historyLease: createLease(mongo, 'run-history'),
    namespaceContents: createNamespaceContents({ mongo, runStore, cancellations }),
    pendingGrants,
  };
}

const MAX_CALL_MS = 30_000;
const MAX_ANSWER_BYTES = 256 * 1024;
/** A step may take longer than the normalization of a message. */
const SCRIPT_LIMITS = { timeoutMs: 5_000, memoryBytes: 64 * 1024 * 1024, outputChars: 256 * 1024 };
/** So that a script that takes long does not hold up those of others. */
const SCRIPT_THREADS = 2;

function stepTools(backends: Backends, config: Config): StepTools {
  const { lifecycle } = backends;
  const egress = createEgress({ allow: config.EGRESS_ALLOW, timeoutMs: MAX_CALL_MS, maxAnswerBytes: MAX_ANSWER_BYTES });
  lifecycle.onStop('egress', () => egress.close());
  const sandbox = createSandbox({ threads: SCRIPT_THREADS, limits: SCRIPT_LIMITS });
  lifecycle.onStop('sandbox', () => sandbox.close());
  return {
    graphicssvc: backends.serviceClient(config.GRAPHICSSVC_URL),
    filesvc: backends.serviceClient(config.FILESVC_URL),
    itemsvc: backends.serviceClient(config.ITEMSVC_URL),
    egress,
    hosts: config.CALL_URL_HOSTS,
    sandbox,
  };
}

/** The models and migrations of this version. Append migrations, and never change one (docs/adr/0013). */
export const schema = defineSchema({
  models: [
    ...queueModels,
    parentLockModel,
    grantMarkModel,
    orchestratorModel,
    runModel,
    registeredComponentModel,
    componentCallModel,
  ],
  migrations: [],
});

/** Together with the lease of a run, how soon another worker takes over the runs of one that died: within 30 seconds. */
const RECOVER_EVERY_MS = 5_000;

/**
 * Works on queued runs, empties the namespaces of deleted workspaces, relays the outbox to the queue, starts scheduled runs,
 * recovers lost runs and removes old ones, until the lifecycle stops.
 */
export async function startJobs(deps: Deps, options: { queuePrefix?: string } = {}): Promise<Jobs> {
  const { config, lifecycle, log, mongo } = deps;
  const queue = { redisUrl: config.REDIS_URL, log, queuePrefix: options.queuePrefix };

  const { runStore, execution } = deps;
  const runWorker = createRunWorker({ runStore, execution, places: config.RUNS_AT_ONCE, log });
  const workers = [
    await startWorker({
      ...queue,
      catalogue: runJobs,
      handlers: { 'run.queued': (_message, { signal }) => runWorker.startQueued(signal) },
      concurrency: 1,
    }),
    await startWorker({
      ...queue,
      catalogue: namespaceJobs,
      handlers: { [workspaceDeleted.name]: emptyNamespaces(deps.namespaceContents) },
    }),
  ];
  lifecycle.onStop('workers', () =>
    Promise.all([...workers, runWorker].map((worker) => worker.stop(config.SHUTDOWN_GRACE_MS))),
  );
  const relay = await startRelay({ ...queue, mongo });
  lifecycle.onStop('outbox relay', () => relay.stop());
  const sweep = startSweep({ what: 'runs', recover: () => runWorker.recover(), log, everyMs: RECOVER_EVERY_MS });
  lifecycle.onStop('sweep of runs', () => sweep.stop());
  removeOldRuns(deps);

  return { workers, relay, gauges: startScheduledRuns(deps) };
}
