import type { Mongo } from '@dtplatform/mongo';
import type { MessageType, Outbox, Totals } from '@dtplatform/queue';
import type { ItemStore } from '../domain/items/ports.js';
import { collectionsOf } from './collections.js';
import { createItemReads } from './item-reads.js';
import { createItemWrites } from './item-writes.js';
import { createUsageOutbox } from './usage-outbox.js';
import { createVersionReads } from './version-reads.js';

export interface ItemStoreParts {
  mongo: Mongo;
  outbox: Outbox;
  totals: Totals;
  /** Asks for the removal of what a deleted item leaves behind. */
  cleanUp: MessageType<{ itemId: string }>;
}

/** Items in MongoDB: one document per item with the tip inside; older versions in a collection of their own. */
export function createItemStore({ mongo, outbox, totals, cleanUp }: ItemStoreParts): ItemStore {
  const collections = collectionsOf(mongo.db);
  const usageOutbox = createUsageOutbox(outbox);
  return {
    ...createItemReads(collections, totals),
    ...createVersionReads(collections),
    ...createItemWrites({ mongo, collections, outbox, usageOutbox, cleanUp }),
  };
}
