import type { Job } from 'bullmq';
import { PermanentError, Postponed } from './messages.js';
import type { MessageType, StoredFailure } from './messages.js';

/** `retried`: the attempt failed. `failed`: the attempts are used up. `rejected`: the request is not possible. */
export const jobOutcomes = ['done', 'postponed', 'retried', 'rejected', 'failed'] as const;

/** One attempt at a job, in this process. */
export interface JobRun {
  message: string;
  outcome: (typeof jobOutcomes)[number];
  durationSec: number;
}

/** Reports each run to a listener. Runs that end before there is a listener are not reported. */
export function createJobRuns(messages: Record<string, Pick<MessageType, 'attempts'>>) {
  let report: (run: JobRun) => void = () => undefined;
  return {
    onRun: (listener: (run: JobRun) => void) => void (report = listener),
    async follow(job: Job, work: () => Promise<StoredFailure | void>): Promise<void> {
      const startMs = performance.now();
      const end = (outcome: JobRun['outcome']) =>
        report({
          message: job.name in messages ? job.name : 'unknown',
          outcome,
          durationSec: (performance.now() - startMs) / 1000,
        });
      const failure = await work().catch((error: unknown) => {
        end(outcomeOf(error, job, messages[job.name]));
        throw error;
      });
      end(failure ?? 'done');
    },
  };
}

function outcomeOf(error: unknown, job: Job, type: Pick<MessageType, 'attempts'> | undefined): JobRun['outcome'] {
  if (error instanceof Postponed) return 'postponed';
  const isLast = !type || job.attemptsMade + 1 >= type.attempts;
  return isLast || error instanceof PermanentError ? 'failed' : 'retried';
}
