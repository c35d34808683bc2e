import type { JobHandler } from '@dtplatform/queue';
import type { IndexBuilder } from './indexes.store.js';

/** Builds an index of related items, batch by batch; a repetition continues where the previous one ended. */
export const buildIndex =
  (builder: IndexBuilder): JobHandler<{ indexId: string }> =>
  async ({ indexId }, { signal }) => {
    while (await builder.fillSome(indexId)) signal.throwIfAborted();
  };

/** Removes what is left of an index. */
export const clearIndex =
  (builder: IndexBuilder): JobHandler<{ itemId: string; indexId: string; slot?: number }> =>
  async ({ itemId, indexId, slot }, { signal }) => {
    for (let at = await builder.clearSome(itemId, indexId, slot, undefined); at;) {
      signal.throwIfAborted();
      at = await builder.clearSome(itemId, indexId, slot, at);
    }
  };
