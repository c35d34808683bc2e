import { setTimeout as delay } from 'node:timers/promises';
import type { UsageRecorded } from '@dtplatform/contracts';
import { mongoErrors } from '@dtplatform/mongo';
import type { JobContext, JobHandler } from '@dtplatform/queue';
import type { UsageLedger, UsageMessage } from '../domain/ports.js';
import { createGroupCommit } from './group-commit.js';

/** Changes in one transaction. */
const MAX_CHANGES = 2000;
const TRY_AGAIN_AFTER_MS = 1000;

/**
 * Adds a usage message to the metrics, once however often it comes. While the database is away it waits: attempts are
 * kept for errors of the message itself, because one that fails for good would be missing in the metrics for ever.
 */
export function recordUsage(ledger: UsageLedger): JobHandler<UsageRecorded> {
  const isAway = (error: unknown) => mongoErrors(error) !== undefined;
  const group = createGroupCommit<UsageMessage>({
    commit: (messages) => ledger.add(messages),
    concernsAll: isAway,
    maxWeight: MAX_CHANGES,
    weightOf: ({ usage }) => usage._changes.length,
  });

  return async (usage: UsageRecorded, { id, signal }: JobContext) => {
    for (;;) {
      try {
        await group.add({ id, usage });
        return;
      } catch (error) {
        if (!isAway(error) || signal.aborted) throw error;
      }
      await delay(TRY_AGAIN_AFTER_MS, undefined, { signal });
    }
  };
}
