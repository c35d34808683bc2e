import type { JobHandler } from '@dtplatform/queue';
import type { Deps } from '../deps.js';

/** Works on a queued load until it has ended or this process shuts down. */
export const processLoad =
  ({ loading }: Pick<Deps, 'loading'>): JobHandler<{ loadId: string }> =>
  ({ loadId }, { signal, lastAttempt }) =>
    loading.process(loadId, { shutdown: signal, mayRetry: !lastAttempt });
