import { Postponed } from '@dtplatform/queue';
import type { JobHandler } from '@dtplatform/queue';
import type { Deps } from '../deps.js';

/** How soon to look whether the process has ended a load that has taken it over: it may have no job any more. */
const TAKEN_MS = 60_000;

/** Works on a queued load until it has ended or this process shuts down. */
export const processLoad =
  ({ loading }: Pick<Deps, 'loading'>): JobHandler<{ loadId: string }> =>
  async ({ loadId }, { signal, lastAttempt }) => {
    const processed = await loading.process(loadId, { shutdown: signal, mayRetry: !lastAttempt });
    if (processed === 'taken') throw new Postponed(TAKEN_MS);
  };
