import { commonErrors } from '@dtplatform/errors';
import { deleteIfMatch, lockParent, newId, shareCommits, updateIfMatch } from '@dtplatform/mongo';
import type { Mongo, PendingGrants } from '@dtplatform/mongo';
import { homeOf, isSamePlace } from '@dtplatform/permissions';
import type { MessageType, Outbox } from '@dtplatform/queue';
import type { Writing } from '../../domain/item-metadata.js';
import type { Item } from '../../domain/nameduseritems/item.js';
import type { ItemStore } from '../../domain/nameduseritems/ports.js';
import { itemUsage, negated, versionUsage } from '../../domain/nameduseritems/usage.js';
import { logWrite } from '../updatelogs/update-log-store.js';
import { createUsageOutbox, itemDeltas } from '../usage/usage-outbox.js';
import type { NamespaceUsage } from '../usage/usage-outbox.js';
import { versionModel } from '../versions/version.model.js';
import { bytesOfVersion, checkSize } from '../document-size.js';
import { storedUsageOf } from '../usage/usage-of-item.js';
import { itemModel } from './item.model.js';

/** Bytes of items in a transaction that several requests share; a larger request has its own. */
const MAX_SHARED_BYTES = 1024 * 1024;
/** Of an item in one namespace. */
const USAGE_BYTES = 700;

/** Writes of items. Each is one transaction, which also reports usage. */
export function createItemWrites({
  mongo,
  outbox,
  grants,
  cleanUp,
}: {
  mongo: Mongo;
  outbox: Outbox;
  grants: Pick<PendingGrants, 'transaction'>;
  cleanUp: MessageType<{ itemId: string }>;
}): Pick<ItemStore, 'newId' | 'checkSize' | 'insert' | 'update' | 'remove'> {
  const items = mongo.model(itemModel);
  const versions = mongo.model(versionModel);
  const usageOutbox = createUsageOutbox(outbox);

  const insertAll = (requests: Item[][]): Promise<void[]> =>
    mongo.transaction(async (session) => {
      const created = requests.flat();
      // Made from validated input: casting them again would take a quarter of the request.
      await items.insertMany(created, { session, lean: true });
      await usageOutbox.record(session, created.flatMap(usageOfNewItem));
      return requests.map(() => undefined);
    });

  return {
    newId,
    checkSize,

    insert: shareCommits(mongo, insertAll, { maxWeight: MAX_SHARED_BYTES, weightOf }),

    update: (item, change, writing, precondition, entered) =>
      grants.transaction(entered, async (session) => {
        const { _id } = item;
        const $set = { ...change, ...touched(writing) };
        const before = await updateIfMatch(items, _id, { $set }, { precondition, session, returns: 'before' });
        if (!before) return false;
        if (!isSamePlace(before, item)) throw commonErrors.conflict();
        await logWrite(mongo, { after: { _id, _revision: before._revision + 1 }, writing }, session);
        const added = change._namespaces.filter((namespace) => !before._namespaces.includes(namespace));
        const removed = before._namespaces.filter((namespace) => !change._namespaces.includes(namespace));
        if (added.length + removed.length === 0) return true;
        // What is inserted below the item meanwhile would not be among its holdings.
        await lockParent(mongo, _id, session);
        await versions.updateMany({ _userItemDbId: _id }, { $set: { _namespaces: change._namespaces } }, { session });
        const usage = await storedUsageOf(mongo, before, session);
        await usageOutbox.record(session, [
          ...added.map((namespace) => ({ namespace, usage, deltas: itemDeltas(namespace, before._itemClass, 1) })),
          ...removed.map((namespace) => leaving(namespace, before, usage)),
        ]);
        return true;
      }),

    remove: (decided, precondition) =>
      mongo.transaction(async (session) => {
        const { _id: id } = decided;
        const item = await deleteIfMatch(items, id, { precondition, session });
        if (!item) return false;
        if (homeOf(item) !== homeOf(decided)) throw commonErrors.conflict();
        await lockParent(mongo, id, session);
        const usage = await storedUsageOf(mongo, item, session);
        await usageOutbox.record(
          session,
          item._namespaces.map((namespace) => leaving(namespace, item, usage)),
        );
        await outbox.put(session, cleanUp, { itemId: id });
        return true;
      }),
  };
}

/** What every write of an item sets. */
export const touched = ({ at, byId }: Writing) => ({ '_metadata._updatedAt': at, '_metadata._updatedById': byId });

/** About the bytes that are written for items: usage is stored for each of their namespaces. */
const weightOf = (items: Item[]) =>
  items.reduce((sum, { _tip, _namespaces }) => sum + bytesOfVersion(_tip) + _namespaces.length * USAGE_BYTES, 0);

function usageOfNewItem(item: Item): NamespaceUsage[] {
  const usage = [...itemUsage(item), ...versionUsage(item, item._tip, bytesOfVersion(item._tip))];
  return item._namespaces.map((namespace) => ({ namespace, usage, deltas: itemDeltas(namespace, item._itemClass, 1) }));
}

const leaving = (namespace: string, item: Item, usage: NamespaceUsage['usage']): NamespaceUsage => ({
  namespace,
  usage: negated(usage),
  deltas: itemDeltas(namespace, item._itemClass, -1),
});
