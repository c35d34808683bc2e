import { Postponed } from '@dtplatform/queue';
import type { JobHandler } from '@dtplatform/queue';
import type { Ingestion } from '../domain/messages/ingestion.js';

/** Stores the readings of messages for which nobody waits. */
export const ingestGroup =
  (ingestion: Ingestion): JobHandler<{ groupId: string }> =>
  async ({ groupId }, { signal }) => {
    const waitMs = (await ingestion.waitMs(groupId)) ?? (await ingestion.run(groupId, signal));
    if (waitMs !== undefined) throw new Postponed(waitMs);
  };
