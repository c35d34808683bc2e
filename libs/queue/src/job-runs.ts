import { UnrecoverableError } from 'bullmq';
import type { Job } from 'bullmq';
import { Postponed } from './postponed.js';

/** `retried`: it failed and will be tried again. `failed`: it failed for good. */
export const jobOutcomes = ['done', 'postponed', 'retried', 'failed'] as const;

/** One attempt at a job, in this process. */
export interface JobRun {
  message: string;
  outcome: (typeof jobOutcomes)[number];
  durationSec: number;
}

/** Tells a listener of each run. Runs that end before there is one are not told. */
export function createJobRuns(known: string[]) {
  let tell: (run: JobRun) => void = () => undefined;
  return {
    onRun: (listener: (run: JobRun) => void) => void (tell = listener),
    async follow(job: Job, work: () => Promise<void>): Promise<void> {
      const startMs = performance.now();
      const end = (outcome: JobRun['outcome']) =>
        tell({
          message: known.includes(job.name) ? job.name : 'unknown',
          outcome,
          durationSec: (performance.now() - startMs) / 1000,
        });
      try {
        await work();
      } catch (error) {
        end(outcomeOf(error, job));
        throw error;
      }
      end('done');
    },
  };
}

/** What BullMQ decides. */
function outcomeOf(error: unknown, job: Job): JobRun['outcome'] {
  if (error instanceof Postponed) return 'postponed';
  const isLast = job.attemptsMade + 1 >= (job.opts.attempts ?? 1);
  return isLast || error instanceof UnrecoverableError ? 'failed' : 'retried';
}
