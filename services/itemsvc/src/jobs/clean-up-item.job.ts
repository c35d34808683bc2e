import type { JobHandler } from '@dtplatform/queue';
import type { Leftovers } from '../store/nameduseritems/leftovers.js';

/** Removes the older versions and related items of a deleted item, batch by batch; a repetition finds what is left. */
export const cleanUpItem =
  (leftovers: Leftovers): JobHandler<{ itemId: string }> =>
  async ({ itemId }, { signal }) => {
    while (await leftovers.removeBatch(itemId)) signal.throwIfAborted();
  };
