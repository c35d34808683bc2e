import { matchesPrecondition } from '@dtplatform/contracts';
import type { Precondition } from '@dtplatform/contracts';
import { commonErrors } from '@dtplatform/errors';
import { BSON, lockParent, newId, shareCommits } from '@dtplatform/mongo';
import type { ClientSession, Mongo } from '@dtplatform/mongo';
import type { MessageType, Outbox } from '@dtplatform/queue';
import type { Owner, RelatedItemStore } from '../../domain/relateditems/ports.js';
import { revisionOfRelatedItem, showRelatedItem } from '../../domain/relateditems/related-item.js';
import type { TelemetryItemOf } from '../../domain/readings/ports.js';
import { checkSize } from '../document-size.js';
import { bytesOf, createOwnedWrites, storedRow } from './owned-writes.js';
import type { Addition } from './owned-writes.js';
import { IN_ITEM, IN_VERSION } from './related-item.model.js';

/** Bytes of related items in a transaction that several requests share; a larger request has its own. */
const MAX_SHARED_BYTES = 256 * 1024;
/** Of a related item in what it causes besides. */
const BASE_BYTES = 2 * 1024;

/** Writes of related items, in transactions that also report usage. */
export function createRelatedItemWrites({
  mongo,
  outbox,
  cleanUp,
}: {
  mongo: Mongo;
  outbox: Outbox;
  /** Requests the removal of the readings of a deleted telemetry item. */
  cleanUp: MessageType<TelemetryItemOf>;
}): Pick<RelatedItemStore, 'newId' | 'checkSize' | 'insert' | 'replace' | 'remove'> {
  const writes = createOwnedWrites({ mongo, outbox });
  const { relatedItems, keepOwner, report } = writes;

  /** The stored one, if it meets the precondition. @throws 412 */
  async function findOwn(owner: Owner, id: string, precondition: Precondition, session: ClientSession) {
    const filter = { _id: id, [IN_ITEM]: owner.item._id, [IN_VERSION]: owner.version._id };
    const stored = await relatedItems.findOne(filter, { session });
    if (stored && !matchesPrecondition({ _revision: revisionOfRelatedItem(stored) }, precondition)) {
      throw commonErrors.preconditionFailed();
    }
    return stored ?? undefined;
  }

  const insertAll = (additions: Addition[]): Promise<void[]> =>
    mongo.transaction(async (session) => {
      await writes.insert(additions, session);
      return additions.map(() => undefined);
    });
  const insertShared = shareCommits(mongo, insertAll, { maxWeight: MAX_SHARED_BYTES, weightOf });

  return {
    newId,
    checkSize,

    insert: (owner, rows) => insertShared({ owner, rows }),

    replace: (owner, id, change, precondition) =>
      mongo.transaction(async (session) => {
        const namespaces = await keepOwner(owner, session);
        const before = await findOwn(owner, id, precondition, session);
        if (!before) return undefined;
        const changed = storedRow(change(showRelatedItem(before)), owner, revisionOfRelatedItem(before) + 1);
        // A field whose name starts with $ can be inserted, but is not allowed in a replacement.
        await relatedItems.deleteOne({ _id: id }, { session });
        await writes.store([changed], session);
        const amount = { count: 0, bytes: bytesOf(changed) - bytesOf(before) };
        await report([{ owner, namespaces, amount }], session);
        return changed;
      }),

    remove: (owner, id, check, precondition) =>
      mongo.transaction(async (session) => {
        const namespaces = await keepOwner(owner, session);
        const before = await findOwn(owner, id, precondition, session);
        if (!before) return false;
        check(showRelatedItem(before));
        await relatedItems.deleteOne({ _id: id }, { session });
        await report([{ owner, namespaces, amount: { count: -1, bytes: -bytesOf(before) } }], session);
        if (owner.item._itemClass === 'NamedTelemetryCollection') {
          // Readings that are accepted meanwhile would come after the removal.
          await lockParent(mongo, owner.item._id, session);
          await outbox.put(session, cleanUp, { itemId: owner.item._id, versionId: owner.version._id, telItemId: id });
        }
        return true;
      }),
  };
}

const weightOf = ({ rows }: Addition): number =>
  rows.reduce((sum, row) => sum + BASE_BYTES + BSON.calculateObjectSize(row), 0);
