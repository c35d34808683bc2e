import type { Listing } from '@dtplatform/contracts';
import { lockNames, newId, oneOf, onePage, scopeFilter, totalOf, touchParents } from '@dtplatform/mongo';
import type { ClientSession, Mongo } from '@dtplatform/mongo';
import type { Scope } from '@dtplatform/permissions';
import type { Outbox } from '@dtplatform/queue';
import { errors } from '../errors.js';
import type { Item } from '../nameduseritems/item.js';
import { itemModel } from '../nameduseritems/item.model.js';
import { createKeyedMutex } from '../nameduseritems/keyed-mutex.js';
import { fieldsOf, mapQueryErrors, plainField, toFilter } from '../query/filters.store.js';
import { withTieBreaker } from '../query/parse-query.js';
import type { ListQuery } from '../query/parse-query.js';
import type { Owner } from '../relateditems/collections.js';
import { relatedCollectionUsage } from '../usage/usage.js';
import { createUsageOutbox, inEach } from '../usage/usage.store.js';
import { requireVersions } from '../versions/version-reads.store.js';
import { versionModel } from '../versions/version.model.js';
import { MAX_RELATED_COLLECTIONS } from './related-collection.js';
import type { NewRelatedCollection, RelatedCollection } from './related-collection.js';
import { relatedCollectionModel } from './related-collection.model.js';
import type { Target } from './related-collections.js';

export function createRelatedCollectionStore({ mongo, outbox }: { mongo: Mongo; outbox: Outbox }) {
  const relatedCollections = mongo.model(relatedCollectionModel);
  const usageOutbox = createUsageOutbox(outbox);
  const oneAtATime = createKeyedMutex();
  const read = <T extends object>(pipeline: object[], maxDocuments: number) =>
    onePage<T>(relatedCollections.collection, pipeline, maxDocuments);

  /** @throws 404 if the owner is gone */
  const namespacesOf = async (owner: Owner, session: ClientSession) =>
    (await requireVersions(mongo, [owner], session)).get(owner.item._id)!;
  const recordUsage = ({ item }: Owner, namespaces: string[], count: number, session: ClientSession) =>
    usageOutbox.record(session, inEach(namespaces, relatedCollectionUsage(item, count)));

  return {
    newId,
    /** Resolves entries in their order; undefined for an item or version that is missing or outside the scope. */
    resolve: (entries: NewRelatedCollection[], scope: Scope): Promise<(Target | undefined)[]> =>
      resolveTargets(mongo, entries, scope),

    /**
     * All or nothing.
     * @throws 400 for a cycle, too many relations, or an item or version deleted concurrently; 404 if the owner is gone
     */
    insert: (owner: Owner, related: RelatedCollection[]): Promise<void> =>
      oneAtATime(owner.item._id, () =>
        mongo.transaction(async (session) => {
          const itemIds = related.map(({ _itemId }) => _itemId);
          await touchParents(mongo, [...new Set([owner.item._id, ...itemIds])], session);
          const namespaces = await namespacesOf(owner, session);
          if (!(await allExist(mongo, related, session))) throw errors.relatedCollectionMissing();
          await rejectCycles(mongo, owner.item._id, related, session);
          const before = await relatedCollections.countDocuments(ownedBy(owner)).session(session);
          if (before + related.length > MAX_RELATED_COLLECTIONS) throw errors.tooManyRelatedCollections();
          const rows = related.map((one) => storedRow(one, owner));
          await relatedCollections.insertMany(rows, { session, lean: true });
          await recordUsage(owner, namespaces, related.length, session);
        }),
      ),

    async find(owner: Owner, _id: string, scope: Scope): Promise<RelatedCollection | undefined> {
      const [found] = await read<RelatedCollection>(visibleOnes({ _id, ...ownedBy(owner) }, scope), 1);
      return found;
    },

    list(
      owner: Owner,
      { where, sort, project, paging }: ListQuery,
      scope: Scope,
    ): Promise<Listing<Partial<RelatedCollection>>> {
      const matching = [
        ...visibleOnes(ownedBy(owner), scope),
        ...(where ? [{ $match: toFilter(where, plainField) }] : []),
      ];
      const fields = fieldsOf(project);
      const page = [
        { $sort: new Map(withTieBreaker(sort)) },
        { $skip: paging.offset },
        { $limit: paging.pageSize },
        ...(fields ? [{ $project: fields }] : []),
      ];
      const count = async () => (await read<{ total: number }>([...matching, { $count: 'total' }], 1))[0]?.total ?? 0;
      return mapQueryErrors(async () => {
        // MongoDB rejects a limit of 0.
        const list =
          paging.pageSize === 0 ? [] : await read<Partial<RelatedCollection>>([...matching, ...page], paging.pageSize);
        return { list, total: await totalOf(paging, list.length, count) };
      });
    },

    /** @returns false if it does not exist */
    remove: (owner: Owner, _id: string): Promise<boolean> =>
      mongo.transaction(async (session) => {
        await touchParents(mongo, [owner.item._id], session);
        const namespaces = await namespacesOf(owner, session);
        const { deletedCount } = await relatedCollections.deleteOne({ _id, ...ownedBy(owner) }, { session });
        if (deletedCount === 0) return false;
        await recordUsage(owner, namespaces, -1, session);
        return true;
      }),
  };
}

export type RelatedCollectionStore = ReturnType<typeof createRelatedCollectionStore>;

const ownedBy = ({ item, version }: Owner) => ({ _ownerId: item._id, _ownerVersionId: version._id });

function storedRow({ _userType, ...related }: RelatedCollection, owner: Owner) {
  return { ...related, ...ownedBy(owner) };
}

/** The relations of a version whose items are in the scope, with their current type. */
const visibleOnes = (own: object, scope: Scope) => [
  { $match: own },
  {
    $lookup: {
      from: itemModel.collection,
      localField: '_itemId',
      foreignField: '_id',
      pipeline: [{ $match: scopeFilter(scope) }, { $project: { _userType: 1 } }],
      as: 'item',
    },
  },
  { $unwind: '$item' },
  { $set: { _userType: '$item._userType' } },
  { $unset: ['item', '_ownerId', '_ownerVersionId'] },
];

type Found = Target['item'] & Pick<Item, '_tipId' | '_tipVersion'>;
const FIELDS = { _userItemId: 1, _userType: 1, _itemClass: 1, _tipId: 1, _tipVersion: 1 } as const;

/** Two queries for all entries. */
async function resolveTargets(
  mongo: Mongo,
  entries: NewRelatedCollection[],
  scope: Scope,
): Promise<(Target | undefined)[]> {
  const ids = entries.flatMap(({ _itemId }) => _itemId ?? []);
  const userItemIds = entries.flatMap(({ _userItemId }) => _userItemId ?? []);
  const named = [{ _id: oneOf(ids) }, { _userItemId: oneOf(userItemIds) }];
  const items = await mongo
    .model(itemModel)
    .find({ $and: [scopeFilter(scope), { $or: named }] }, FIELDS)
    .lean<Found[]>();
  const byId = new Map(items.map((item) => [item._id, item]));
  const byUserItemId = new Map(items.map((item) => [item._userItemId, item]));
  const older = await olderVersions(mongo, entries);

  return entries.map(({ _itemId, _userItemId, _userItemVersionId }) => {
    const item = _itemId === undefined ? byUserItemId.get(_userItemId!) : byId.get(_itemId);
    if (!item || (_userItemId !== undefined && item._userItemId !== _userItemId)) return undefined;
    if (_userItemVersionId === undefined || _userItemVersionId === item._tipId) {
      return { item, version: { _id: item._tipId, _version: item._tipVersion } };
    }
    const version = older.get(_userItemVersionId);
    return version?._userItemDbId === item._id ? { item, version } : undefined;
  });
}

async function olderVersions(mongo: Mongo, entries: NewRelatedCollection[]) {
  const ids = entries.flatMap(({ _userItemVersionId }) => _userItemVersionId ?? []);
  if (ids.length === 0) return new Map<string, never>();
  const versions = await mongo
    .model(versionModel)
    .find({ _id: oneOf(ids) }, { _version: 1, _userItemDbId: 1 })
    .lean();
  return new Map(versions.map((version) => [version._id, version]));
}

/** Whether all items and versions still exist. Requires a transaction that has touched the items. */
async function allExist(mongo: Mongo, related: RelatedCollection[], session: ClientSession): Promise<boolean> {
  const itemIds = [...new Set(related.map(({ _itemId }) => _itemId))];
  const items = await mongo
    .model(itemModel)
    .find({ _id: oneOf(itemIds) }, { _tipId: 1 })
    .session(session)
    .lean<Pick<Item, '_id' | '_tipId'>[]>();
  if (items.length < itemIds.length) return false;
  const tips = new Set(items.map(({ _tipId }) => _tipId));
  const older = new Set(related.map((one) => one._userItemVersionId).filter((id) => !tips.has(id)));
  const remaining = { _id: oneOf(older) };
  return (await mongo.model(versionModel).countDocuments(remaining).session(session)) === older.size;
}

const COMPOSITE = 'NamedCompositeItem';
/** Composite items below one. */
const MAX_BELOW = 1000;

/**
 * Locks a composite item and all composite items below it, in the transaction that relates them. Two transactions that
 * together would close a cycle share one of these, so the second one retries and sees the cycle.
 * @throws 400 if the item would be below itself, in any of its versions
 */
async function rejectCycles(
  mongo: Mongo,
  ownerId: string,
  related: RelatedCollection[],
  session: ClientSession,
): Promise<void> {
  const below = new Set<string>();
  let level = related.filter((one) => one._userItemClass === COMPOSITE).map(({ _itemId }) => _itemId);
  while (level.length > 0) {
    for (const id of level) below.add(id);
    if (below.has(ownerId)) throw errors.relatedCollectionCycle();
    if (below.size > MAX_BELOW) throw errors.tooManyRelatedCollections();
    const next = await findBelow(mongo, level, session);
    level = next.filter((id) => !below.has(id));
  }
  await lockNames(mongo, [ownerId, ...below], session);
}

/** Composite items directly below any version of these, one more than the limit at most. */
const findBelow = async (mongo: Mongo, ownerIds: string[], session: ClientSession): Promise<string[]> =>
  (
    await mongo
      .model(relatedCollectionModel)
      .aggregate<{ _id: string }>([
        { $match: { _ownerId: { $in: ownerIds }, _userItemClass: COMPOSITE } },
        { $group: { _id: '$_itemId' } },
        { $limit: MAX_BELOW + ownerIds.length + 1 },
      ])
      .session(session)
  ).map(({ _id }) => _id);
