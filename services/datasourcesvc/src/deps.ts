import { createEgress } from '@dtplatform/egress';
import type { NamedLease } from '@dtplatform/lease';
import { createLease, createPendingGrants, newId } from '@dtplatform/mongo';
import type { PendingGrants } from '@dtplatform/mongo';
import { createOutbox } from '@dtplatform/queue';
import type { NamespaceContents } from '@dtplatform/queue';
import { createSandbox } from '@dtplatform/sandbox';
import { createAccess, openBackends, passportsvcUrl } from '@dtplatform/service';
import type { AccessSources, Backends, ProcessContext, ServiceDeps } from '@dtplatform/service';
import { createEventStreams } from './api/orchrun/server-sent-events.js';
import type { EventStreams } from './api/orchrun/server-sent-events.js';
import { builtInComponents } from './components/built-in.js';
import type { StepTools } from './components/built-in.js';
import type { Config } from './config.js';
import type { Component } from './domain/components/component.js';
import { createComponents } from './domain/components/components.js';
import type { ComponentCatalogue } from './domain/components/components.js';
import { createComponentCalls } from './domain/componentcalls/component-calls.js';
import type { ComponentCalls } from './domain/componentcalls/component-calls.js';
import { createOrchestrators } from './domain/orchestrators/orchestrators.js';
import type { Orchestrators } from './domain/orchestrators/orchestrators.js';
import { createScheduler } from './domain/orchestrators/scheduler.js';
import type { Scheduler } from './domain/orchestrators/scheduler.js';
import type { RunStore } from './domain/orchrun/ports.js';
import { createRunExecution } from './domain/orchrun/run-execution.js';
import type { RunExecution } from './domain/orchrun/run-execution.js';
import { createRuns } from './domain/orchrun/runs.js';
import type { Runs } from './domain/orchrun/runs.js';
import { createCancellations } from './jobs/cancellations.js';
import { runJobs } from './jobs/catalogue.js';
import { createComponentCallStore } from './store/componentcalls/component-call-store.js';
import { createRegisteredComponentStore } from './store/components/registered-component-store.js';
import { createNamespaceContents } from './store/namespaces/namespace-contents.js';
import { ownerRights } from './store/orchestrators/owner-rights.js';
import { remoteProfiles } from './store/orchestrators/remote-profiles.js';
import { createOrchestratorStore } from './store/orchestrators/orchestrator-store.js';
import { createScheduleStore } from './store/orchestrators/schedule-store.js';
import { createRunStore } from './store/orchrun/run-store.js';
import { schema } from './store/schema.js';

export interface Deps extends ServiceDeps {
  config: Config;
  components: ComponentCatalogue;
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
