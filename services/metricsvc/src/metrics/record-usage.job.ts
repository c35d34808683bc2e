import { setTimeout as delay } from 'node:timers/promises';
import type { UsageBatch } from '@dtplatform/contracts';
import { isUnavailable } from '@dtplatform/errors';
import { coalesce, mongoErrors } from '@dtplatform/mongo';
import type { JobHandler } from '@dtplatform/queue';
import type { UsageMessage } from './usage.js';
import type { UsageLedger } from './usage.store.js';

/** Per transaction. */
const MAX_CHANGES = 2000;
const RETRY_AFTER_MS = 1000;

/**
 * Adds a batch of usage to the metrics, exactly once however often it is delivered. While MongoDB is unavailable it
 * waits; attempts only count errors of the batch.
 */
export function recordUsage(ledger: UsageLedger): JobHandler<UsageBatch> {
  const isDatabaseUnavailable = (error: unknown) => isUnavailable(error) || mongoErrors(error) !== undefined;
  // One transaction at a time per process, because concurrent ones would conflict over the same series.
  const add = coalesce((batches: UsageMessage[]) => ledger.add(batches), {
    maxWeight: MAX_CHANGES,
    weightOf: ({ usage }) => usage.reduce((sum, { _changes }) => sum + _changes.length, 0),
    concernsAll: isDatabaseUnavailable,
  });

  return async ({ messages: usage }, { id, signal }) => {
    for (;;) {
      try {
        await add({ id, usage });
        return;
      } catch (error) {
        if (!isDatabaseUnavailable(error) || signal.aborted) throw error;
      }
      await delay(RETRY_AFTER_MS, undefined, { signal });
    }
  };
}
