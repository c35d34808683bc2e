import type { Paging } from '@dtplatform/http';
import type { Access, Resource } from '@dtplatform/permissions';
import { errors } from '../../errors.js';
import { ORCHESTRATOR_TYPE, orchestratorIrn } from '../orchestrators/orchestrator.js';
import type { Cancellations, RunFilter, RunStore } from './ports.js';
import type { RunExecution } from './run-execution.js';
import { newRun } from './run.js';
import type { Run, RunRequest } from './run.js';

export interface Runs {
  /**
   * Runs an orchestrator. A run of class INSTANT has ended when this resolves; others are QUEUED.
   * @throws 400 for parameters of an unknown step, 403 without RUN in the namespace of the call, 429 when too many runs are
   * queued in a namespace
   */
  start(request: RunRequest, access: Access): Promise<Run>;
  /** @throws 409 when the run has ended */
  cancel(run: Run): Promise<void>;
  /** A run, with the resource name of its orchestrator, whose permissions apply to it. */
  find(id: string): Promise<(Run & Resource) | undefined>;
  /** Runs of the orchestrators of the namespace that the caller may read, newest first. */
  list(nsfilter: string, filter: RunFilter, paging: Paging, access: Access): Promise<{ list: Run[]; total: number }>;
}

interface RunsDeps {
  store: RunStore;
  execution: RunExecution;
  cancellations: Cancellations;
  newId: () => string;
  instantLimitMs: number;
}

export function createRuns({ store, execution, cancellations, newId, instantLimitMs }: RunsDeps): Runs {
  return {
    async start(request, access) {
      const { orchestrator, namespace } = request;
      // The route accepts RUN in any namespace of the orchestrator; the run works in this one.
      if (orchestrator._namespaces.includes(namespace)) {
        await access.requireIn('RUN', orchestratorIrn(orchestrator._id), [namespace]);
      }
      const run = newRun(request, { createdById: access.principal.id, newId, instantLimitMs });
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
