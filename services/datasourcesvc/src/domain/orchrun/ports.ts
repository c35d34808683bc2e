import type { Paging } from '@dtplatform/http';
import type { Scope } from '@dtplatform/permissions';
import type { Run, RunStatus } from './run.js';

/** Which runs to list. */
export interface RunFilter {
  _status?: RunStatus[];
  _orchid?: string;
  /** When the run was created, in milliseconds since 1970; both ends are included. */
  startDate?: number;
  endDate?: number;
}

export interface RunEnd {
  status: 'COMPLETED' | 'ERROR';
  /** Completed steps. */
  done: number;
  statusMsg?: string;
  result?: unknown;
}

/** Where runs are stored. A write under a claim returns false when another process has taken the run over or it has ended. */
export interface RunStore {
  /** Stores a run and queues it, in one transaction. @throws 429 when too many are queued in a namespace */
  enqueue(run: Run): Promise<void>;
  /** Stores a run that this process has claimed. */
  insertClaimed(run: Run): Promise<Run>;
  /** Starts a run or takes it over; undefined when it has ended. */
  claim(runId: string): Promise<Run | undefined>;
  progress(run: Run, done: number): Promise<boolean>;
  heartbeat(run: Run): Promise<boolean>;
  end(run: Run, end: RunEnd): Promise<boolean>;
  /** False when the run has ended already. */
  cancel(runId: string): Promise<boolean>;
  find(id: string): Promise<Run | undefined>;
  /** Newest first. The scope is a scope of orchestrators. */
  list(scope: Scope, filter: RunFilter, paging: Paging): Promise<{ list: Run[]; total: number }>;
}

/** Announces cancelled runs to all processes of this service. A message may get lost: the claim is authoritative. */
export interface Cancellations {
  announce(runId: string): Promise<void>;
  /** @returns a function that unsubscribes */
  onCancelled(runId: string, listener: () => void): () => void;
}
