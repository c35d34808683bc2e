import type { Mongo } from '@dtplatform/mongo';
import type { MessageType, Outbox, Totals } from '@dtplatform/queue';
import type { TelemetryItemOf } from '../../domain/readings/ports.js';
import type { RelatedItemStore } from '../../domain/relateditems/ports.js';
import { createRelatedItemReads } from './related-item-reads.js';
import { createRelatedItemWrites } from './related-item-writes.js';

/** Related items of all collections in one MongoDB collection, in the order of their creation. */
export const createRelatedItemStore = (deps: {
  mongo: Mongo;
  outbox: Outbox;
  totals: Totals;
  /** Requests the removal of the readings of a deleted telemetry item. */
  cleanUp: MessageType<TelemetryItemOf>;
}): RelatedItemStore => ({
  ...createRelatedItemReads(deps),
  ...createRelatedItemWrites(deps),
});
