import type { Mongo, PendingGrants } from '@dtplatform/mongo';
import type { MessageType, Outbox, Totals } from '@dtplatform/queue';
import type { ItemStore } from '../../domain/nameduseritems/ports.js';
import { createItemReads } from './item-reads.js';
import { createItemWrites } from './item-writes.js';

interface Deps {
  mongo: Mongo;
  outbox: Outbox;
  totals: Totals;
  grants: PendingGrants;
  /** Requests the removal of what a deleted item leaves behind. */
  cleanUp: MessageType<{ itemId: string }>;
}

/** Items in MongoDB: one document per item with the tip inside. */
export const createItemStore = (deps: Deps): ItemStore => ({ ...createItemReads(deps), ...createItemWrites(deps) });
