import { newId, onePage, scopeFilter, totalOf, touchParents } from '@dtplatform/mongo';
import type { ClientSession, Mongo } from '@dtplatform/mongo';
import type { Outbox } from '@dtplatform/queue';
import type { Scope } from '@dtplatform/permissions';
import { relatedCollectionUsage } from '../../domain/nameduseritems/usage.js';
import { withTieBreaker } from '../../domain/query/sort-order.js';
import type { RelatedCollectionStore } from '../../domain/relatedcollections/ports.js';
import { MAX_RELATED_COLLECTIONS } from '../../domain/relatedcollections/related-collection.js';
import type { RelatedCollection } from '../../domain/relatedcollections/related-collection.js';
import type { Owner } from '../../domain/relateditems/ports.js';
import { errors } from '../../errors.js';
import { itemModel } from '../nameduseritems/item.model.js';
import { mapQueryErrors } from '../query/map-query-errors.js';
import { plainField, toFilter } from '../query/plain-filter.js';
import { fieldsOf } from '../query/stored-projection.js';
import { createKeyedMutex } from '../keyed-mutex.js';
import { createUsageOutbox, inEach } from '../usage/usage-outbox.js';
import { requireVersions } from '../versions/require-versions.js';
import { refuseCycles } from './refuse-cycles.js';
import { relatedCollectionModel } from './related-collection.model.js';
import { areThere, resolveTargets } from './resolve-targets.js';

/** Related collections in MongoDB. */
export function createRelatedCollectionStore({
  mongo,
  outbox,
}: {
  mongo: Mongo;
  outbox: Outbox;
}): RelatedCollectionStore {
  const relatedCollections = mongo.model(relatedCollectionModel);
  const usageOutbox = createUsageOutbox(outbox);
  const oneAtATime = createKeyedMutex();
  const read = <T extends object>(pipeline: object[], maxDocuments: number) =>
    onePage<T>(relatedCollections.collection, pipeline, maxDocuments);

  /** @throws 404 when the owner is gone */
  const namespacesOf = async (owner: Owner, session: ClientSession) =>
    (await requireVersions(mongo, [owner], session)).get(owner.item._id)!;
  const recordUsage = ({ item }: Owner, namespaces: string[], count: number, session: ClientSession) =>
    usageOutbox.record(session, inEach(namespaces, relatedCollectionUsage(item, count)));

  return {
    newId,
    resolve: (entries, scope) => resolveTargets(mongo, entries, scope),

    insert: (owner, related) =>
      oneAtATime(owner.item._id, () =>
        mongo.transaction(async (session) => {
          const itemIds = related.map(({ _itemId }) => _itemId);
          await touchParents(mongo, [...new Set([owner.item._id, ...itemIds])], session);
          const namespaces = await namespacesOf(owner, session);
          if (!(await areThere(mongo, related, session))) throw errors.relatedCollectionMissing();
          await refuseCycles(mongo, owner.item._id, related, session);
          const before = await relatedCollections.countDocuments(ownedBy(owner)).session(session);
          if (before + related.length > MAX_RELATED_COLLECTIONS) throw errors.tooManyRelatedCollections();
          const rows = related.map((one) => storedRow(one, owner));
          await relatedCollections.insertMany(rows, { session, lean: true });
          await recordUsage(owner, namespaces, related.length, session);
        }),
      ),

    async find(owner, _id, scope) {
      const [found] = await read<RelatedCollection>(visibleOnes({ _id, ...ownedBy(owner) }, scope), 1);
      return found;
    },

    list(owner, { where, sort, project, paging }, scope) {
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
        // To the database a limit of 0 is an error.
        const list =
          paging.pageSize === 0 ? [] : await read<Partial<RelatedCollection>>([...matching, ...page], paging.pageSize);
        return { list, total: await totalOf(paging, list.length, count) };
      });
    },

    remove: (owner, _id) =>
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

const ownedBy = ({ item, version }: Owner) => ({ _ownerId: item._id, _ownerVersionId: version._id });

function storedRow({ _userType, ...related }: RelatedCollection, owner: Owner) {
  return { ...related, ...ownedBy(owner) };
}

/** Related collections of a version as callers see them: those whose items are in the scope, with their current type. */
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
