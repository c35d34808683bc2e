import { newId } from '@dtplatform/mongo';
import { createFoundation } from '@dtplatform/service';
import type { Foundation, Ports as PlatformPorts, ProcessContext } from '@dtplatform/service';
import { builtInComponents } from './components/built-in.js';
import type { Config } from './config.js';
import { componentsByName } from './domain/components/component.js';
import type { Component } from './domain/components/component.js';
import { createOrchestrators } from './domain/orchestrators/orchestrators.js';
import type { Orchestrators } from './domain/orchestrators/orchestrators.js';
import { createRunExecution } from './domain/orchrun/run-execution.js';
import type { RunExecution } from './domain/orchrun/run-execution.js';
import { createRuns } from './domain/orchrun/runs.js';
import type { Runs } from './domain/orchrun/runs.js';
import { createCancellations } from './jobs/cancellations.js';
import { createEnqueueRuns } from './jobs/catalogue.js';
import { createLostRuns } from './store/orchrun/lost-runs.js';
import type { LostRuns } from './store/orchrun/lost-runs.js';
import { createOrchestratorStore } from './store/orchestrators/orchestrator-store.js';
import { createRunStore } from './store/orchrun/run-store.js';
import { schema } from './store/schema.js';

export interface Deps extends Foundation {
  config: Config;
  orchestrators: Orchestrators;
  runs: Runs;
  execution: RunExecution;
  lostRuns: LostRuns;
}

/** What is outside this service; tests pass their own. */
export interface Ports extends PlatformPorts {
  /** Added to the built-in components. */
  components?: Component[];
}

/** Constructs everything, for the service and for its workers. */
export async function createDeps(config: Config, context: ProcessContext, ports: Ports = {}): Promise<Deps> {
  const foundation = await createFoundation({ name: 'datasourcesvc', schema }, config, context, ports);
  const { mongo, redis, log } = foundation;
  const graphicssvc = foundation.serviceClient(config.GRAPHICSSVC_URL);
  const components = componentsByName([...builtInComponents({ graphicssvc }), ...(ports.components ?? [])]);
  const cancellations = await createCancellations({ redis, redisUrl: config.REDIS_URL, log });
  context.lifecycle.onStop('cancellations', () => cancellations.close());

  const enqueue = createEnqueueRuns(mongo);
  const store = createRunStore(mongo, enqueue);
  const execution = createRunExecution({ store, components, cancellations, log });
  return {
    ...foundation,
    config,
    orchestrators: createOrchestrators({ store: createOrchestratorStore(mongo), components, newId }),
    runs: createRuns({ store, execution, cancellations, newId, instantLimitMs: config.INSTANT_RUN_LIMIT_MS }),
    execution,
    lostRuns: createLostRuns(mongo, enqueue),
  };
}
