import { startSweep } from '@dtplatform/lease';
import type { Logger } from '@dtplatform/logging';
import type { Tasks } from './tasks.js';

/**
 * Puts lost tasks into the queue again, at once and every 15 seconds. For worker processes; several may run at the same
 * time.
 */
export const startTaskSweep = ({ tasks, log, everyMs }: { tasks: Tasks; log: Logger; everyMs?: number }) =>
  startSweep({ what: 'tasks', recover: () => tasks.resubmitLost(), log, everyMs });
