import type { JobHandler } from '@dtplatform/queue';
import type { Leftovers } from './leftovers.store.js';

/** Removes what a deleted item leaves behind, batch by batch. A retry continues with the rest. */
export const cleanUpItem =
  (leftovers: Leftovers): JobHandler<{ itemId: string }> =>
  async ({ itemId }, { signal }) => {
    while (await leftovers.removeBatch(itemId)) signal.throwIfAborted();
  };

export const cleanUpVersion =
  (leftovers: Leftovers): JobHandler<{ itemId: string; versionId: string }> =>
  async (version, { signal }) => {
    while (await leftovers.removeBatchOfVersion(version)) signal.throwIfAborted();
  };
