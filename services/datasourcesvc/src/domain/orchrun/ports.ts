import type { Listing, Paging, Precondition } from '@dtplatform/contracts';
import type { KeptLease } from '@dtplatform/lease';
import type { Scope } from '@dtplatform/permissions';
import type { StarterTokens } from '../components/component.js';
import type { FollowedRun, Run, RunStatus } from './run.js';
import type { StepState } from './run-step.js';

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
