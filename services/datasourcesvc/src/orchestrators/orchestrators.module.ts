import { startSweep } from '@dtplatform/lease';
import { grantMarkModel, parentLockModel } from '@dtplatform/mongo';
import { resource } from '@dtplatform/runtime';
import type { ProcessContext } from '@dtplatform/runtime';
import { orchestratorModel } from './orchestrator.model.js';
import { orchestratorRoutes } from './orchestrators.routes.js';
import { scheduleRoutes } from './schedules.routes.js';
import type { Scheduler } from './scheduler.js';

const SCHEDULES_EVERY_MS = 5_000;

interface Worker extends ProcessContext {
  scheduler: Scheduler;
}

export const orchestrators = resource({
  tags: { orchestrators: 'Ordered lists of steps.', schedules: 'When orchestrators of class `SCHEDULED` run.' },
  models: [orchestratorModel, parentLockModel, grantMarkModel],
  routes: (parts: Parameters<typeof orchestratorRoutes>[0]) => [orchestratorRoutes(parts), scheduleRoutes()],
  /** Starts the runs of due schedules. */
  sweeps({ scheduler, log, lifecycle }: Worker) {
    const stopping = new AbortController();
    // Scheduled runs are not recovered work, which a sweep would log.
    const recover = () => scheduler.startDue(stopping.signal).then(() => 0);
    const sweep = startSweep({ what: 'schedules', recover, log, everyMs: SCHEDULES_EVERY_MS });
    lifecycle.onStop('schedules', () => {
      stopping.abort();
      return sweep.stop();
    });
    const help = 'Seconds since the longest-waiting scheduled run became due, or its attempts began to fail.';
    return [{ name: 'schedules_late_seconds', help, read: () => scheduler.lateSec() }];
  },
});
