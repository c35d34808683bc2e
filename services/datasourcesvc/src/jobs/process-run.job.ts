import { Postponed } from '@dtplatform/queue';
import type { JobHandler } from '@dtplatform/queue';
import type { Deps } from '../deps.js';
import type { RunJob } from './catalogue.js';

/** How soon to look again whether the process that works on a run is alive. */
const HELD_MS = 5_000;

/** Works on a queued run until it has ended or this process shuts down. */
export const processRun =
  ({ execution }: Pick<Deps, 'execution'>): JobHandler<RunJob> =>
  async ({ runId, retries }, { signal, lastAttempt }) => {
    const processed = await execution.process(runId, { shutdown: signal, mayRetry: !lastAttempt, retries });
    if (processed === 'held') throw new Postponed(HELD_MS);
  };
