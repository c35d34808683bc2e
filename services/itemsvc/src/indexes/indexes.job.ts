import type { JobHandler } from '@dtplatform/queue';
import type { IndexBuilder } from './indexes.store.js';

/** Fills an index batch by batch. A retry resumes after the last batch. */
export const buildIndex =
  (builder: IndexBuilder): JobHandler<{ indexId: string }> =>
  async ({ indexId }, { signal }) => {
    while (await builder.fillSome(indexId)) signal.throwIfAborted();
  };

export const clearIndex =
  (builder: IndexBuilder): JobHandler<{ itemId: string; indexId: string; slot?: number }> =>
  async ({ itemId, indexId, slot }, { signal }) => {
    for (let at = await builder.clearSome(itemId, indexId, slot, undefined); at;) {
      signal.throwIfAborted();
      at = await builder.clearSome(itemId, indexId, slot, at);
    }
  };
