import type { JobHandler } from '@dtplatform/queue';
import type { Deps } from '../deps.js';

/** Works on a queued run until it has ended, or until this process has to. */
export const processRun =
  ({ execution }: Pick<Deps, 'execution'>): JobHandler<{ runId: string }> =>
  ({ runId }, { signal, lastAttempt }) =>
    execution.process(runId, { shutdown: signal, mayRetry: !lastAttempt });
