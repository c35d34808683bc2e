import { isRejection } from '@dtplatform/errors';
import type { AppError } from '@dtplatform/errors';
import type { Logger } from '@dtplatform/logging';
import { errors } from '../errors.js';
import type { ActAs } from '../orchrun/run-steps.js';
import { newRun } from '../orchrun/run.js';
import { orchestratorIrn, ownerOf } from './orchestrator.js';
import type { Scheduled } from './orchestrator.js';
import type { OwnerRights } from './rights.js';
import { nextDueTime } from './schedule.js';
import type { ScheduleStore } from './schedules.store.js';

/** Runs started concurrently. */
const BATCH = 20;
const TRY_AGAIN_MS = 30_000;

interface SchedulerDeps {
  scheduleStore: ScheduleStore;
  rights: OwnerRights;
  actAs: ActAs;
  newId: () => string;
  instantLimitMs: number;
  log: Logger;
}

/**
 * Starts runs of schedules, one per due time. A single run makes up for due times missed while no worker ran or the run
 * could not be started.
 */
export function createScheduler({ scheduleStore, rights, actAs, log, ...runs }: SchedulerDeps) {
  const nextOf = ({ _orchschedule, _schedule }: Scheduled, nowMs: number) =>
    nextDueTime(_orchschedule, nowMs, _schedule.dueAt);

  /** Why the owner may not start the run. @throws 503 when that cannot be determined */
  async function rejectionOf({ _id, _namespaces, _schedule }: Scheduled): Promise<AppError | undefined> {
    const { namespace } = _schedule;
    const owner = ownerOf(_schedule);
    const mayRun = _namespaces.includes(namespace) && (await rights.mayRun(owner, orchestratorIrn(_id), namespace));
    if (!mayRun) return errors.ownerMayNotRun();
    try {
      await actAs(owner).get();
      return undefined;
    } catch (error) {
      if (isRejection(error)) return error;
      throw error;
    }
  }

  async function start(scheduled: Scheduled, nowMs: number): Promise<void> {
    const rejection = await rejectionOf(scheduled);
    if (rejection) {
      log.info({ err: rejection, orchestratorId: scheduled._id }, 'skipped a scheduled run');
      await scheduleStore.skip(scheduled, nextOf(scheduled, nowMs), rejection.message);
      return;
    }
    const { namespace } = scheduled._schedule;
    const request = { orchestrator: scheduled, parameters: [], namespace, precondition: undefined };
    const run = newRun(request, { starter: ownerOf(scheduled._schedule), ...runs });
    await scheduleStore.start(scheduled, run, nextOf(scheduled, nowMs));
  }

  /** Postpones a run that cannot be started now, so that it does not block other due runs. */
  async function startOrPutOff(scheduled: Scheduled, nowMs: number): Promise<void> {
    try {
      await start(scheduled, nowMs);
    } catch (error) {
      log.warn({ err: error, orchestratorId: scheduled._id }, 'could not start a scheduled run');
      const isFailing = !isRejection(error);
      const statusmsg = isFailing ? 'The run could not be started yet.' : error.message;
      await scheduleStore.postpone(scheduled, { tryAt: nowMs + TRY_AGAIN_MS, statusmsg, isFailing });
    }
  }

  return {
    /** Starts due runs, until there are none or the signal aborts. Several processes may run it concurrently. */
    async startDue(signal: AbortSignal): Promise<void> {
      while (!signal.aborted) {
        const nowMs = await scheduleStore.now();
        const due = await scheduleStore.findDue(nowMs, BATCH);
        if (due.length === 0) return;
        await Promise.all(due.map((scheduled) => startOrPutOff(scheduled, nowMs)));
      }
    },
    /** Age in seconds of the oldest run that is due or whose attempts fail. */
    async lateSec(): Promise<number> {
      const nowMs = await scheduleStore.now();
      return (nowMs - ((await scheduleStore.waitsSince(nowMs)) ?? nowMs)) / 1000;
    },
  };
}

export type Scheduler = ReturnType<typeof createScheduler>;
