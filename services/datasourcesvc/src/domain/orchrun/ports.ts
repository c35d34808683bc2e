import type { KeptLease } from '@dtplatform/lease';
import type { Scope } from '@dtplatform/permissions';
import type { Listing, Paging, Precondition } from '@dtplatform/resource';
import type { StarterTokens } from '../components/component.js';
import type { Run, RunStatus } from './run.js';

/** Which runs to list. */
export interface RunFilter {
  _status?: RunStatus[];
  _orchid?: string;
  /** When the run was created, in milliseconds since 1970; both ends are included. */
  startDate?: number;
  endDate?: number;
}

export interface RunEnd extends Pick<Run, '_statusmsg' | '_result'> {
  _status: 'COMPLETED' | 'ERROR';
  /** Completed steps. */
  done: number;
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
  /** Starts a run or takes it over; undefined when it has ended. */
  claim(runId: string): Promise<Run | undefined>;
  /** Sends heartbeats while this process works on a run. @param signal ends the work for another reason */
  keep(run: Run, signal: AbortSignal): KeptLease;
  progress(run: Run, done: number): Promise<boolean>;
  end(run: Run, end: RunEnd): Promise<boolean>;
  /** False when the run has ended already. @throws 412 when it has another revision */
  cancel(runId: string, precondition: Precondition): Promise<boolean>;
  find(id: string): Promise<Run | undefined>;
  /** Newest first. The scope is a scope of orchestrators. */
  list(scope: Scope, filter: RunFilter, paging: Paging): Promise<Listing<Run>>;
  /**
   * Queues runs without a heartbeat again; this has no effect on those that are still in the queue. A lost run of class
   * INSTANT ends as ERROR, since its caller is gone.
   * @returns how many runs were lost
   */
  requeueLost(): Promise<number>;
}

/** Tokens that act for a user, an app or a permission profile. The type is unknown for the runs of a previous version. */
export type ActAs = (subject: { id: string; type: Run['_work']['starterType'] }) => StarterTokens;

/** Announces cancelled runs to all processes of this service. A message may get lost: the lease is authoritative. */
export interface Cancellations {
  announce(runId: string): Promise<void>;
  /** @returns a function that unsubscribes */
  onCancelled(runId: string, listener: () => void): () => void;
}
