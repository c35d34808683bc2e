import { startExclusiveSweep } from '@dtplatform/lease';
import { createLease } from '@dtplatform/mongo';
import type { Deps } from '../deps.js';

const EVERY_MS = 5_000;

/** Starts the runs of schedules when they are due, in one process at a time. */
export function startScheduledRuns({ mongo, scheduler, lifecycle, log }: Deps): void {
  const lease = createLease(mongo, 'schedules');
  const work = (signal: AbortSignal) => scheduler.startDue(signal);
  const sweep = startExclusiveSweep({ what: 'schedules', lease, work, log, everyMs: EVERY_MS });
  lifecycle.onStop('schedules', () => sweep.stop());
}
