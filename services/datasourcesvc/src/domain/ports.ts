import type { Paging } from '@dtplatform/http';
import type { Scope } from '@dtplatform/permissions';
import type { Orchestrator } from './orchestrator.js';
import type { Run, RunStatus } from './run.js';

/** Where orchestrators are kept. */
export interface OrchestratorStore {
  /** @throws 400 when the name is taken in one of the namespaces */
  insert(orchestrator: Orchestrator): Promise<void>;
  find(id: string): Promise<Orchestrator | undefined>;
  list(scope: Scope, paging: Paging): Promise<{ list: Orchestrator[]; total: number }>;
}

export interface RunFilter {
  statuses?: RunStatus[];
  orchestratorId?: string;
  /** When it was created, in milliseconds since 1970; both ends included. */
  fromMs?: number;
  toMs?: number;
}

export interface RunEnd {
  status: 'COMPLETED' | 'ERROR';
  /** Completed steps. */
  done: number;
  statusMsg?: string;
  result?: unknown;
}

/** Where runs are kept. Only who holds a run's claim may write to it: `false` means that it was taken away, or has ended. */
export interface RunStore {
  /** Keeps a run and puts it into the queue, both or none. @throws 429 when too many are queued in a namespace */
  enqueue(run: Run): Promise<void>;
  /** Keeps a run that is worked on by whoever calls this. */
  insertClaimed(run: Run): Promise<Run>;
  /** Begins or takes over a run; undefined when it has ended. */
  claim(runId: string): Promise<Run | undefined>;
  progress(run: Run, done: number): Promise<boolean>;
  heartbeat(run: Run): Promise<boolean>;
  end(run: Run, end: RunEnd): Promise<boolean>;
  /** False when it has ended already. */
  cancel(runId: string): Promise<boolean>;
  find(id: string): Promise<Run | undefined>;
  /** Newest first. The scope is one of orchestrators. */
  list(scope: Scope, filter: RunFilter, paging: Paging): Promise<{ list: Run[]; total: number }>;
}

/** Tells the processes of the service that a run was cancelled. News may get lost: the claim is the truth. */
export interface Cancellations {
  announce(runId: string): Promise<void>;
  /** @returns ends the subscription */
  onCancelled(runId: string, listener: () => void): () => void;
}
