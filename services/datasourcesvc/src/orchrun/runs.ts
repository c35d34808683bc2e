import { matchesPrecondition } from '@dtplatform/contracts';
import type { Listing, Paging, Precondition } from '@dtplatform/contracts';
import { commonErrors } from '@dtplatform/errors';
import type { KeptLease } from '@dtplatform/lease';
import { subjectOf } from '@dtplatform/permissions';
import type { Access, Resource, Resources, Scope } from '@dtplatform/permissions';
import type { Components, StarterTokens } from '../components/component.js';
import { assertSteps } from '../components/parameters.js';
import { errors } from '../errors.js';
import { ORCHESTRATOR_TYPE, orchestratorIrn } from '../orchestrators/orchestrator.js';
import type { OrchestratorStore } from '../orchestrators/orchestrators.js';
import type { RunExecution } from './run-execution.js';
import { isRetryable, newRun } from './run.js';
import type { FollowedRun, Run, RunRequest, RunStatus, StepState } from './run.js';

/** Which runs to list. */
export interface RunFilter {
  _status?: RunStatus[];
  _orchid?: string;
  /** When the run was created, in milliseconds since 1970; both ends are included. */
  startDate?: number;
  endDate?: number;
}

/** What happened in steps, by their index. What is undefined in a state is removed. */
export type StepChanges = Readonly<Record<number, StepState>>;

/** What is needed to see whether a run has changed, without reading all of it. */
export interface RunSummary extends Pick<Run, '_id' | '_orchid' | '_namespaces' | '_status' | '_revision'> {
  /** Of the followed run, as it is stored. */
  bytes: number;
}

interface RunProgress {
  /** Completed steps. */
  done: number;
  steps: StepChanges;
  /** The step after these begins next, and may not run again if it is cut. */
  mustNotRepeat: boolean;
}

export interface RunEnd extends Pick<Run, '_statusmsg' | '_result'>, Omit<RunProgress, 'mustNotRepeat'> {
  _status: 'COMPLETED' | 'ERROR';
}

/** Who retries a run. */
export interface Retrier {
  id: string;
  type: NonNullable<Run['_work']['starterType']>;
}

/**
 * Where runs are stored. One process at a time holds the lease of a run and works on it. A write of a process that no longer
 * holds it returns false: another process has taken the run over, or it has ended.
 */
export interface RunStore {
  /** Stores a run and queues it, in one transaction. @throws 429 when too many are queued in a namespace */
  enqueue(run: Run): Promise<void>;
  /** Stores a run that this process has claimed. */
  insertClaimed(run: Run): Promise<Run>;
  /** Starts queued runs, the oldest first. The promise resolves to those that this process now works on. */
  claimQueued(limit: number): Promise<Run[]>;
  /** Takes over runs whose process has died or has put them off. */
  claimLost(limit: number): Promise<Run[]>;
  /** Sends heartbeats while this process works on a run. @param signal ends the work for another reason */
  keep(run: Run, signal: AbortSignal): KeptLease;
  record(run: Run, progress: RunProgress): Promise<boolean>;
  /** Shows what the current step reports. */
  report(run: Run, index: number, reported: StepState): Promise<boolean>;
  end(run: Run, end: RunEnd): Promise<void>;
  /** Leaves the run to any process. @param delayMs not before that time; it counts how often a run was put off for a while */
  putOff(run: Run, delayMs: number): Promise<boolean>;
  /**
   * @returns the attempt that is cancelled; undefined when the run has ended already
   * @throws 412 when it has another revision
   */
  cancel(runId: string, precondition: Precondition): Promise<Attempt | undefined>;
  /**
   * Starts an ended run again, with the step that is not completed: queues it or, if it is of class INSTANT, claims it.
   * @param run as it was found
   * @throws 409 when it can no longer be retried, 412 when it has another revision, 429 when too many are queued in a
   * namespace
   */
  retry(run: Run, retrier: Retrier, precondition: Precondition): Promise<Run>;
  find(id: string): Promise<Run | undefined>;
  findFollowed(id: string): Promise<FollowedRun | undefined>;
  findSummary(id: string): Promise<RunSummary | undefined>;
  /** Newest first. The scope is a scope of orchestrators. */
  list(scope: Scope, filter: RunFilter, paging: Paging): Promise<Listing<Run>>;
  /** Removes runs that ended before a time, in milliseconds since 1970. @returns how many */
  removeEndedBefore(time: number, signal: AbortSignal): Promise<number>;
}

/** Tokens that act for a user, an app or a permission profile. */
export type ActAs = (subject: { id: string; type: Run['_work']['starterType'] }) => StarterTokens;

/** An attempt at a run: the one after so many retries. */
export interface Attempt {
  runId: string;
  retries: number;
}

/** Announces cancelled runs to all processes of this service. A message may get lost: the lease is authoritative. */
export interface Cancellations {
  announce(cancelled: Attempt): Promise<void>;
  /** @returns a function that unsubscribes */
  onCancelled(attempt: Attempt, listener: () => void): () => void;
}

/** Runs, with the resource names of their orchestrators, whose permissions apply to them. */
export interface Runs extends Resources<Run & Resource> {
  /**
   * Runs an orchestrator. A run of class INSTANT has ended when this resolves; others are QUEUED.
   * @throws 400 for parameters of an unknown step or that its component refuses, or when the namespace of the call is none of the orchestrator, 403
   * without RUN in that namespace, 412 when the orchestrator has another revision, 429 when too many runs are queued in
   * a namespace
   */
  start(request: RunRequest, access: Access): Promise<Run>;
  /**
   * Starts a run that ended as ERROR or CANCELLED again, with the step that is not completed, in the name of the caller.
   * One of class INSTANT has ended when this resolves; others are QUEUED.
   * @throws 403 without RUN in the namespace of the run, 409 when it has not ended so, was retried too often, or its
   * orchestrator was deleted, has left the namespace of the run or has lost its permission profile, 412 when it has another revision, 429 when too
   * many runs are queued in a namespace
   */
  retry(run: Run, precondition: Precondition, access: Access): Promise<Run>;
  /** @throws 403 without RUN in the namespace of the run, 409 when it has ended, 412 when it has another revision */
  cancel(run: Run, precondition: Precondition, access: Access): Promise<void>;
  /** The same runs, for callers that follow them. */
  summaries: Resources<RunSummary & Resource>;
  followed: Resources<FollowedRun & Resource>;
  /** Runs of the orchestrators of the namespace that the caller may read, newest first. */
  list(nsfilter: string, filter: RunFilter, paging: Paging, access: Access): Promise<Listing<Run>>;
}

/** More than that is a new run. */
const MAX_RETRIES = 20;

interface RunsDeps {
  orchestratorStore: Pick<OrchestratorStore, 'find'>;
  runStore: RunStore;
  components: Components;
  execution: RunExecution;
  cancellations: Cancellations;
  newId: () => string;
  instantLimitMs: number;
}

export function createRuns(deps: RunsDeps): Runs {
  const { orchestratorStore, runStore, components, execution, cancellations, newId, instantLimitMs } = deps;

  /** A retry must not bring back what an editor has taken away since: the orchestrator, or the rights of its profile. */
  async function requireOrchestrator({ _orchid, _work: { namespace, profileId } }: Run): Promise<void> {
    const orchestrator = await orchestratorStore.find(_orchid);
    if (!orchestrator?._namespaces.includes(namespace)) throw errors.orchestratorDeleted();
    if (profileId !== undefined && orchestrator._permissionprofileid !== profileId) throw errors.profileTakenAway();
  }

  return {
    async start(request, access) {
      const { orchestrator, namespace, precondition } = request;
      if (!orchestrator._namespaces.includes(namespace)) throw errors.namespaceNotListed();
      // The route accepts RUN in any namespace of the orchestrator; the run works in this one.
      await access.requireIn('RUN', orchestratorIrn(orchestrator._id), [namespace]);
      if (!matchesPrecondition(orchestrator, precondition)) throw commonErrors.preconditionFailed();
      const run = newRun(request, { starter: starterOf(access), newId, instantLimitMs });
      await assertSteps(run.orchrunsteps, components);
      if (run._work.instant) return execution.runNow(() => runStore.insertClaimed(run));
      await runStore.enqueue(run);
      return run;
    },
    async cancel({ _id, _orchid, _work }, precondition, access) {
      await access.requireIn('RUN', orchestratorIrn(_orchid), [_work.namespace]);
      const cancelled = await runStore.cancel(_id, precondition);
      if (!cancelled) throw errors.runEnded();
      await cancellations.announce(cancelled);
    },
    async retry(run, precondition, access) {
      const { _orchid, _work } = run;
      await access.requireIn('RUN', orchestratorIrn(_orchid), [_work.namespace]);
      if (!isRetryable(run)) throw errors.runNotFailed();
      const { retries = 0 } = _work;
      if (retries >= MAX_RETRIES) throw errors.retriedTooOften();
      await requireOrchestrator(run);
      const again = () => runStore.retry(run, starterOf(access), precondition);
      return _work.instant ? execution.runNow(again) : again();
    },
    find: async (id, namespace) => foundIn(namespace, await runStore.find(id)),
    summaries: { find: async (id, namespace) => foundIn(namespace, await runStore.findSummary(id)) },
    followed: { find: async (id, namespace) => foundIn(namespace, await runStore.findFollowed(id)) },
    list: async (nsfilter, filter, paging, access) =>
      runStore.list(await access.scope('READ', ORCHESTRATOR_TYPE, [nsfilter]), filter, paging),
  };
}

/** The run, as a resource that has the permissions of its orchestrator, if it is in the namespace of the call. */
const foundIn = <R extends Pick<Run, '_orchid' | '_namespaces'>>(namespace: string, run: R | undefined) =>
  run?._namespaces.includes(namespace) ? { ...run, _irn: orchestratorIrn(run._orchid) } : undefined;

function starterOf({ principal }: Access) {
  const { _id: id, _type } = subjectOf(principal);
  return { id, type: _type };
}
