import { modelOf } from '@dtplatform/mongo';
import type { ClientSession, Mongo } from '@dtplatform/mongo';
import type { Writing } from '../nameduseritems/item-metadata.js';
import type { Item } from '../nameduseritems/item.js';
import { KEPT_WRITES, LoggedWrite } from './update-log.js';
import type { UpdateLog } from './update-log.js';

export const updateLogModel = modelOf('item_update_logs', LoggedWrite, {
  indexes: [{ key: { _itemId: 1, _itemRevision: 1 }, name: 'item' }],
});

export function createUpdateLogStore(mongo: Mongo) {
  const logs = mongo.model(updateLogModel);
  return {
    /** Oldest first. @param versionId only writes of this version */
    list: (_itemId: string, _versionId: string | undefined): Promise<UpdateLog[]> =>
      logs
        .find({ _itemId, ...(_versionId !== undefined && { _versionId }) }, { _id: 0, _updatedBy: 1, _updatedAt: 1 })
        .sort({ _itemRevision: 1 })
        .limit(KEPT_WRITES)
        .lean(),
  };
}

export type UpdateLogStore = ReturnType<typeof createUpdateLogStore>;

interface Write {
  /** The item after the write. */
  after: Pick<Item, '_id' | '_revision'>;
  writing: Writing;
  versionId?: string;
}

/** Records a write in its transaction. */
export const logWrite = (mongo: Mongo, write: Write, session: ClientSession): Promise<void> =>
  logWrites(mongo, [write], session);

export async function logWrites(mongo: Mongo, writes: Write[], session: ClientSession): Promise<void> {
  await mongo.collection(updateLogModel).bulkWrite(writes.map(entryOf), { session });
}

/**
 * Revisions are consecutive, so each entry overwrites that of 1000 revisions ago. The log stays bounded without a
 * clean-up.
 */
function entryOf({ after, writing: { byId, at }, versionId }: Write) {
  const _itemRevision = after._revision;
  const _id = `${after._id}/${_itemRevision % KEPT_WRITES}`;
  const write = { _itemId: after._id, _itemRevision, _updatedBy: byId, _updatedAt: at };
  const logged = { ...write, ...(versionId !== undefined && { _versionId: versionId }) };
  return { replaceOne: { filter: { _id }, replacement: logged, upsert: true } };
}
