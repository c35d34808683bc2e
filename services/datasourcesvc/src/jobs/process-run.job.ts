import type { JobHandler } from '@dtplatform/queue';
import type { Deps } from '../deps.js';

/** Works on a queued run until it has ended or this process shuts down. */
export const processRun =
  ({ execution }: Pick<Deps, 'execution'>): JobHandler<{ runId: string }> =>
  ({ runId }, { signal, lastAttempt }) =>
    execution.process(runId, { shutdown: signal, mayRetry: !lastAttempt });
