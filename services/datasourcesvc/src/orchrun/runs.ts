import { matchesPrecondition } from '@dtplatform/contracts';
import type { Listing, Paging, Precondition } from '@dtplatform/contracts';
import { commonErrors } from '@dtplatform/errors';
import { subjectOf } from '@dtplatform/permissions';
import type { Access } from '@dtplatform/permissions';
import type { Components } from '../components/components.js';
import { assertSteps } from '../components/parameters.js';
import { errors } from '../errors.js';
import { ORCHESTRATOR_TYPE, orchestratorIrn } from '../orchestrators/orchestrator.js';
import type { OrchestratorStore } from '../orchestrators/orchestrators.store.js';
import type { Cancellations } from './cancellations.client.js';
import type { RunExecution } from './run-execution.js';
import { isRetryable, newRun } from './run.js';
import type { Run, RunRequest } from './run.js';
import type { RunFilter, RunStore } from './runs.store.js';

/** Further attempts need a new run. */
const MAX_RETRIES = 20;

interface RunsDeps {
  orchestratorStore: Pick<OrchestratorStore, 'find'>;
  runStore: RunStore;
  components: Pick<Components, 'named'>;
  execution: RunExecution;
  cancellations: Pick<Cancellations, 'announce'>;
  newId: () => string;
  instantLimitMs: number;
}

/** Runs, with the resource names of their orchestrators, whose permissions apply to them. */
export function createRuns(deps: RunsDeps) {
  const { orchestratorStore, runStore, components, execution, cancellations, newId, instantLimitMs } = deps;

  /** A retry must not restore what was removed since: the orchestrator, its namespace or its profile. */
  async function requireOrchestrator({ _orchid, _work: { namespace, profileId } }: Run): Promise<void> {
    const orchestrator = await orchestratorStore.find(_orchid);
    if (!orchestrator?._namespaces.includes(namespace)) throw errors.orchestratorDeleted();
    if (profileId !== undefined && orchestrator._permissionprofileid !== profileId) throw errors.profileTakenAway();
  }

  return {
    /**
     * Runs an orchestrator. A run of class INSTANT has ended when this resolves; others are QUEUED.
     * @throws 400 for parameters of an unknown step or that its component rejects, or when the call's namespace is not
     * among the orchestrator's; 403 without RUN in that namespace; 412 when the orchestrator has another revision; 429
     * when too many runs are queued in a namespace
     */
    async start(request: RunRequest, access: Access): Promise<Run> {
      const { orchestrator, namespace, precondition } = request;
      if (!orchestrator._namespaces.includes(namespace)) throw errors.namespaceNotListed();
      // The route accepts RUN in any namespace of the orchestrator; the run needs it in this one.
      await access.requireIn('RUN', orchestratorIrn(orchestrator._id), [namespace]);
      if (!matchesPrecondition(orchestrator, precondition)) throw commonErrors.preconditionFailed();
      const run = newRun(request, { starter: starterOf(access), newId, instantLimitMs });
      await assertSteps(run.orchrunsteps, components);
      if (run._work.instant) return execution.runNow(() => runStore.insertClaimed(run));
      await runStore.enqueue(run);
      return run;
    },
    /** @throws 403 without RUN in the namespace of the run, 409 when it has ended, 412 when it has another revision */
    async cancel({ _id, _orchid, _work }: Run, precondition: Precondition, access: Access): Promise<void> {
      await access.requireIn('RUN', orchestratorIrn(_orchid), [_work.namespace]);
      const cancelled = await runStore.cancel(_id, precondition);
      if (!cancelled) throw errors.runEnded();
      await cancellations.announce(cancelled);
    },
    /**
     * Restarts a run that ended as ERROR or CANCELLED at the step that is not completed, on behalf of the caller. A run
     * of class INSTANT has ended when this resolves; others are QUEUED.
     * @throws 403 without RUN in the namespace of the run; 409 when it has not ended like this, was retried too often,
     * or its orchestrator was deleted, has left the run's namespace or has another permission profile; 412 when it has
     * another revision; 429 when too many runs are queued in a namespace
     */
    async retry(run: Run, precondition: Precondition, access: Access): Promise<Run> {
      const { _orchid, _work } = run;
      await access.requireIn('RUN', orchestratorIrn(_orchid), [_work.namespace]);
      if (!isRetryable(run)) throw errors.runNotFailed();
      const { retries = 0 } = _work;
      if (retries >= MAX_RETRIES) throw errors.retriedTooOften();
      await requireOrchestrator(run);
      const again = () => runStore.retry(run, starterOf(access), precondition);
      return _work.instant ? execution.runNow(again) : again();
    },
    find: async (id: string, namespace: string) => foundIn(namespace, await runStore.find(id)),
    /** The same runs, for callers that follow them. */
    summaries: { find: async (id: string, namespace: string) => foundIn(namespace, await runStore.findSummary(id)) },
    followed: { find: async (id: string, namespace: string) => foundIn(namespace, await runStore.findFollowed(id)) },
    /** Runs of the namespace's orchestrators that the caller may read, newest first. */
    list: async (nsfilter: string, filter: RunFilter, paging: Paging, access: Access): Promise<Listing<Run>> =>
      runStore.list(await access.scope('READ', ORCHESTRATOR_TYPE, [nsfilter]), filter, paging),
  };
}

export type Runs = ReturnType<typeof createRuns>;

/** The run as a resource with its orchestrator's permissions, if it is in the call's namespace. */
const foundIn = <R extends Pick<Run, '_orchid' | '_namespaces'>>(namespace: string, run: R | undefined) =>
  run?._namespaces.includes(namespace) ? { ...run, _irn: orchestratorIrn(run._orchid) } : undefined;

function starterOf({ principal }: Access) {
  const { _id: id, _type } = subjectOf(principal);
  return { id, type: _type };
}
