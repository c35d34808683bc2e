import type { Paging } from '@dtplatform/http';
import type { Access, Resource } from '@dtplatform/permissions';
import { errors } from '../errors.js';
import { ORCHESTRATOR_TYPE, orchestratorIrn } from './orchestrator.js';
import type { Cancellations, RunFilter, RunStore } from './ports.js';
import type { RunExecution } from './run-execution.js';
import { newRun } from './run.js';
import type { Run, RunRequest } from './run.js';

export interface Runs {
  /**
   * Runs an orchestrator: of class INSTANT to its end before this returns, otherwise the run is QUEUED.
   * @throws 400 for parameters of an unknown step, 429 when too many runs are queued in a namespace
   */
  start(request: RunRequest): Promise<Run>;
  /** @throws 409 when it has ended */
  cancel(run: Run): Promise<void>;
  /** A run; to permissions it is its orchestrator. */
  find(id: string): Promise<(Run & Resource) | undefined>;
  /** Runs of the orchestrators of the namespace that the caller may read, newest first. */
  list(nsfilter: string, filter: RunFilter, paging: Paging, access: Access): Promise<{ list: Run[]; total: number }>;
}

export function createRuns(deps: {
  store: RunStore;
  execution: RunExecution;
  cancellations: Cancellations;
  newId: () => string;
  instantLimitMs: number;
}): Runs {
  const { store, execution, cancellations } = deps;
  return {
    async start(request) {
      const run = newRun(request, deps.newId, deps.instantLimitMs);
      if (run._work.instant) return execution.runNow(run);
      await store.enqueue(run);
      return run;
    },
    async cancel({ _id }) {
      if (!(await store.cancel(_id))) throw errors.runEnded();
      await cancellations.announce(_id);
    },
    async find(id) {
      const run = await store.find(id);
      return run && { ...run, _irn: orchestratorIrn(run._orchid) };
    },
    list: async (nsfilter, filter, paging, access) =>
      store.list(await access.scope('READ', ORCHESTRATOR_TYPE, [nsfilter]), filter, paging),
  };
}
