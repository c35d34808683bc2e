import { UnrecoverableError } from 'bullmq';
import type { Job } from 'bullmq';
import type { StoredFailure } from './messages.js';
import { Postponed } from './postponed.js';

/** `retried`: it failed and will be tried again. `failed`: it failed permanently. `rejected`: what was asked for is not possible. */
export const jobOutcomes = ['done', 'postponed', 'retried', 'rejected', 'failed'] as const;

/** One attempt at a job, in this process. */
export interface JobRun {
  message: string;
  outcome: (typeof jobOutcomes)[number];
  durationSec: number;
}

/** Reports each run to a listener. Runs that end before there is one are not reported. */
export function createJobRuns(known: string[]) {
  let report: (run: JobRun) => void = () => undefined;
  return {
    onRun: (listener: (run: JobRun) => void) => void (report = listener),
    async follow(job: Job, work: () => Promise<StoredFailure | void>): Promise<void> {
      const startMs = performance.now();
      const end = (outcome: JobRun['outcome']) =>
        report({
          message: known.includes(job.name) ? job.name : 'unknown',
          outcome,
          durationSec: (performance.now() - startMs) / 1000,
        });
      const failure = await work().catch((error: unknown) => {
        end(outcomeOf(error, job));
        throw error;
      });
      end(failure ?? 'done');
    },
  };
}

/** What BullMQ decides. */
function outcomeOf(error: unknown, job: Job): JobRun['outcome'] {
  if (error instanceof Postponed) return 'postponed';
  const isLast = job.attemptsMade + 1 >= (job.opts.attempts ?? 1);
  return isLast || error instanceof UnrecoverableError ? 'failed' : 'retried';
}
