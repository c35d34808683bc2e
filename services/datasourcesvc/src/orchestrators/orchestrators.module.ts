import { startSweep } from '@dtplatform/lease';
import type { Jobs } from '@dtplatform/service';
import type { Deps } from '../service.js';

const EVERY_MS = 5_000;

/** Starts the runs of schedules when they are due. Gives the gauges of this work. */
export function startScheduledRuns({ scheduler, lifecycle, log }: Deps): NonNullable<Jobs['gauges']> {
  const stopping = new AbortController();
  // Scheduled runs are not lost work, which a sweep would log.
  const recover = () => scheduler.startDue(stopping.signal).then(() => 0);
  const sweep = startSweep({ what: 'schedules', recover, log, everyMs: EVERY_MS });
  lifecycle.onStop('schedules', () => {
    stopping.abort();
    return sweep.stop();
  });
  const help = 'For how many seconds the scheduled run that waits longest could have been tried, or its attempts fail.';
  return [{ name: 'schedules_late_seconds', help, read: () => scheduler.lateSec() }];
}
