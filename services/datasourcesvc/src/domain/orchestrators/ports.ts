import type { Listing, Paging, PermissionEntry } from '@dtplatform/contracts';
import type { Scope } from '@dtplatform/permissions';
import type { Run } from '../orchrun/run.js';
import type { Orchestrator, ScheduleState } from './orchestrator.js';

/** Where orchestrators are stored. */
export interface OrchestratorStore {
  /** @throws 400 when the name is taken in one of the namespaces, or too many are scheduled in a namespace */
  insert(orchestrator: Orchestrator): Promise<void>;
  /**
   * Stores a change. False when the orchestrator is no longer as it was before, which is where the change came from.
   * @param grants what the caller gets once the change is committed
   * @throws as `insert`
   */
  replace(before: Orchestrator, after: Orchestrator, grants: PermissionEntry[]): Promise<boolean>;
  /** False when the orchestrator is no longer as it was read: the rights to remove it depend on that. */
  remove(orchestrator: Orchestrator): Promise<boolean>;
  find(id: string): Promise<Orchestrator | undefined>;
  list(scope: Scope, paging: Paging): Promise<Listing<Orchestrator>>;
}

/** Permission profiles of passportsvc. */
export interface Profiles {
  /** The namespaces of a profile; none when there is no such profile. */
  namespacesOf(id: string): Promise<string[]>;
}

/** An orchestrator of class SCHEDULED. */
export type Scheduled = Orchestrator & { _orchschedule: object; _schedule: ScheduleState };

/**
 * Schedules. A write has no effect when the orchestrator was changed or removed since it was read, or when another process has
 * dealt with the same due time: then it returns false. No write raises the revision.
 */
export interface ScheduleStore {
  /** By the clock of the database, which is the same for all processes; milliseconds since 1970. */
  now(): Promise<number>;
  /** Orchestrators to try to start, the longest due first. */
  findDue(nowMs: number, limit: number): Promise<Scheduled[]>;
  /**
   * Queues the run of a due time and sets the next one, in one transaction.
   * @throws 429 when too many runs are queued in a namespace
   */
  start(scheduled: Scheduled, run: Run, nextMs: number): Promise<boolean>;
  /** Goes on to the next due time without a run. */
  skip(scheduled: Scheduled, nextMs: number, statusmsg: string): Promise<boolean>;
  /** Tries the same due time again later. */
  postpone(scheduled: Scheduled, later: Pick<ScheduleState, 'tryAt' | 'statusmsg' | 'isFailing'>): Promise<boolean>;
  /** Since when the run that waits longest could have been tried, or its attempts fail; undefined when none waits. */
  waitsSince(nowMs: number): Promise<number | undefined>;
}

/** What is known about somebody who does not call now. */
export interface OwnerRights {
  mayRun(owner: { id: string; type: ScheduleState['ownerType'] }, irn: string, namespace: string): Promise<boolean>;
}
