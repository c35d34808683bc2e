import type { Logger } from '@dtplatform/logging';
import { startSweep } from './sweep.js';
import type { Tasks } from './tasks.js';

/** Puts lost tasks into the queue again, now and every 15 seconds. For the worker process; several at once do no harm. */
export const startTaskSweep = ({ tasks, log, everyMs }: { tasks: Tasks; log: Logger; everyMs?: number }) =>
  startSweep({ what: 'tasks', recover: () => tasks.resubmitLost(), log, everyMs });
