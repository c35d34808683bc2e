import { startExclusiveSweep } from '@dtplatform/lease';
import { createLease } from '@dtplatform/mongo';
import type { Jobs } from '@dtplatform/service';
import type { Deps } from '../deps.js';

const EVERY_MS = 5_000;

/** Starts the runs of schedules when they are due, in one process at a time. Gives the gauges of this work. */
export function startScheduledRuns({ mongo, scheduler, lifecycle, log }: Deps): NonNullable<Jobs['gauges']> {
  const lease = createLease(mongo, 'schedules');
  const work = (signal: AbortSignal) => scheduler.startDue(signal);
  const sweep = startExclusiveSweep({ what: 'schedules', lease, work, log, everyMs: EVERY_MS });
  lifecycle.onStop('schedules', () => sweep.stop());
  const help = 'For how many seconds the scheduled run that waits longest could have been tried, or its attempts fail.';
  return [{ name: 'schedules_late_seconds', help, read: () => scheduler.lateSec() }];
}
