import type { Precondition } from '@dtplatform/contracts';
import { lockParent, newId, updateIfMatch } from '@dtplatform/mongo';
import type { ClientSession, Model, Mongo } from '@dtplatform/mongo';
import type { MessageType, Outbox } from '@dtplatform/queue';
import { errors } from '../errors.js';
import { touched } from '../nameduseritems/item-metadata.js';
import type { Writing } from '../nameduseritems/item-metadata.js';
import type { Item } from '../nameduseritems/item.js';
import { itemModel } from '../nameduseritems/item.model.js';
import { createKeyedMutex } from '../nameduseritems/keyed-mutex.js';
import { relatedCollectionModel } from '../relatedcollections/related-collection.model.js';
import { logWrite } from '../updatelogs/update-logs.store.js';
import { negated, relatedCollectionUsage, relatedUsage, versionGrowth, versionUsage } from '../usage/usage.js';
import type { Usage } from '../usage/usage.js';
import { createUsageOutbox, inEach, readingUsageOf, relatedAmountOf } from '../usage/usage.store.js';
import { asTip, createVersionAdditions } from './version-additions.store.js';
import { createVersionReads } from './version-reads.store.js';
import { changedVersion } from './version.js';
import type { NewVersion, OlderVersion, Version } from './version.js';
import { bytesOfVersion, checkSize, versionModel } from './version.model.js';
import type { VersionOf } from './versions.js';

/** The tip is stored in its item, the older versions in their own collection. */
export const createVersionStore = (deps: Parameters<typeof createVersionWrites>[0]) => ({
  ...createVersionReads(deps.mongo),
  ...createVersionWrites(deps),
});

export type VersionStore = ReturnType<typeof createVersionStore>;

interface Deps {
  mongo: Mongo;
  outbox: Outbox;
  cleanUp: MessageType<VersionOf>;
}

/** The effect of a version's write on its item. */
interface Change {
  set?: Partial<Item>;
  /** Change of the number of versions. */
  count?: 1 | -1;
  usage: Usage[];
  versionId: string;
  writing: Writing;
  precondition: Precondition;
}

/** Transactions also write the item, which serializes the writes of its versions. */
function createVersionWrites({ mongo, outbox, cleanUp }: Deps) {
  const items = mongo.model(itemModel);
  const versions = mongo.model(versionModel);
  const relatedCollections = mongo.model(relatedCollectionModel);
  const usageOutbox = createUsageOutbox(outbox);
  const oneAtATime = createKeyedMutex();
  const transaction = <T>(itemId: string, work: (session: ClientSession) => Promise<T>) =>
    oneAtATime(itemId, () => mongo.transaction(work));

  const findItem = (id: string, session: ClientSession) => items.findById(id).session(session).lean();

  async function writeItem(item: Item, change: Change, session: ClientSession): Promise<void> {
    const { set, count, usage, versionId, writing, precondition } = change;
    const update = { $set: { ...set, ...touched(writing) }, ...(count && { $inc: { _versionsCount: count } }) };
    const after = await updateIfMatch(items, item._id, update, { precondition, session });
    await logWrite(mongo, { after: after!, writing, versionId }, session);
    await usageOutbox.record(session, inEach(item._namespaces, usage));
  }

  const addShared = createVersionAdditions({ mongo, usageOutbox });

  return {
    /**
     * Adds a version, which becomes the tip. @returns undefined if the item is gone @throws 412 unless the precondition
     * is met
     */
    add: (
      itemId: string,
      wanted: NewVersion,
      writing: Writing,
      precondition: Precondition,
    ): Promise<Version | undefined> =>
      oneAtATime(itemId, () => addShared({ itemId, versionId: newId(), wanted, writing, precondition })),

    /** @returns undefined if the version is gone @throws 412 unless the precondition is met */
    update: (
      { itemId, versionId }: VersionOf,
      wanted: NewVersion,
      writing: Writing,
      precondition: Precondition,
    ): Promise<Version | undefined> =>
      transaction(itemId, async (session) => {
        const item = await findItem(itemId, session);
        const before = item && (await findVersion(versions, item, versionId, session));
        if (!before) return undefined;
        const after = changedVersion(before, wanted, writing);
        checkSize(after);
        const usage = versionGrowth(item, after, bytesOfVersion(after) - bytesOfVersion(before));
        const set = after._isTip ? { _tip: after } : {};
        await writeItem(item, { set, usage, versionId, writing, precondition }, session);
        if (!after._isTip) {
          const stored = { ...after, _namespaces: item._namespaces };
          await versions.replaceOne({ _id: versionId }, stored, { session });
        }
        return after;
      }),

    /**
     * Removes a version; the worker removes its related items. If it was the tip, the latest remaining version becomes
     * the tip.
     * @returns false if the version is gone
     * @throws 400 if it is the only one, 412 unless the precondition is met
     */
    remove: (version: VersionOf, writing: Writing, precondition: Precondition): Promise<boolean> =>
      transaction(version.itemId, async (session) => {
        const { itemId, versionId } = version;
        const item = await findItem(itemId, session);
        const removed = item && (await findVersion(versions, item, versionId, session));
        if (!removed) return false;
        const next = removed._isTip ? await findLatestOlder(versions, itemId, session) : undefined;
        if (item._versionsCount === 1 || (removed._isTip && !next)) throw errors.lastVersion();
        // Otherwise concurrent inserts below the version would escape the recount.
        await lockParent(mongo, itemId, session);
        const amount = await relatedAmountOf(mongo, version, session);
        const ofVersion = { _ownerId: itemId, _ownerVersionId: versionId };
        const { deletedCount } = await relatedCollections.deleteMany(ofVersion, { session });
        const usage = negated([
          ...versionUsage(item, removed, bytesOfVersion(removed)),
          ...(amount ? relatedUsage(item, removed, amount) : []),
          ...(await readingUsageOf(mongo, item, [removed], session)),
          ...relatedCollectionUsage(item, deletedCount),
        ]);
        const set = next ? asTip({ ...next, _isTip: true }) : {};
        await writeItem(item, { set, count: -1, usage, versionId, writing, precondition }, session);
        await versions.deleteOne({ _id: next?._id ?? versionId }, { session });
        await outbox.put(session, cleanUp, version);
        return true;
      }),
  };
}

async function findVersion(
  versions: Model<OlderVersion>,
  item: Item,
  versionId: string,
  session: ClientSession,
): Promise<Version | undefined> {
  if (item._tipId === versionId) return item._tip;
  const older = await versions.findOne({ _id: versionId, _userItemDbId: item._id }).session(session).lean();
  return older ? withoutNamespaces(older) : undefined;
}

async function findLatestOlder(
  versions: Model<OlderVersion>,
  _userItemDbId: string,
  session: ClientSession,
): Promise<Version | undefined> {
  const latest = await versions.findOne({ _userItemDbId }).sort({ _version: -1 }).session(session).lean();
  return latest ? withoutNamespaces(latest) : undefined;
}

function withoutNamespaces(older: OlderVersion): Version {
  const { _namespaces, ...version } = older;
  return version;
}
