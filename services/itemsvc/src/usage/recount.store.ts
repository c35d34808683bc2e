import { idAfter } from '@dtplatform/mongo';
import type { Mongo } from '@dtplatform/mongo';
import type { RecountSource, OwnerRange, RecountOptions } from '@dtplatform/runtime';
import type { Item, ItemClass } from '../nameduseritems/item.js';
import { itemModel } from '../nameduseritems/item.model.js';
import { batchModel, readingModels, removalModel } from '../readings/readings.model.js';
import { relatedCollectionModel } from '../relatedcollections/related-collection.model.js';
import { IN_ITEM, relatedItemModel } from '../relateditems/related-item.model.js';
import { versionModel } from '../versions/version.model.js';
import { itemUsage, readingUsage, relatedCollectionUsage, relatedUsage, versionUsage } from './usage.js';
import type { Amount, Usage } from './usage.js';
import { AMOUNTS, changeOf, WITHOUT_NAMESPACES } from './usage.store.js';

const OWNERS = 50;
const MAX_VERSIONS = 10_000;

type Owner = Pick<Item, '_id' | '_userItemId' | '_itemClass' | '_versionsCount'> & { tip: VersionSize };
interface VersionSize {
  _id: string;
  _version: number;
  bytes: number;
}

function createSums(mongo: Mongo) {
  const read = <T extends object>(collection: string, pipeline: object[], options: RecountOptions) =>
    mongo.db.collection(collection).aggregate<T>(pipeline, options).toArray();

  const ownersIn = ({ namespace, after, until }: OwnerRange, options: RecountOptions) => {
    const tip = { _id: '$_tip._id', _version: '$_tip._version', bytes: { $bsonSize: '$_tip' } };
    const fields = { _userItemId: 1, _itemClass: 1, _versionsCount: 1, tip };
    const $match = { _namespaces: namespace, _id: { $gt: after, $lte: until } };
    return read<Owner>(itemModel.collection, [{ $match }, { $project: fields }], options);
  };

  async function olderOf(ids: string[], options: RecountOptions) {
    const fields = { _userItemDbId: 1, _version: 1, bytes: { $bsonSize: WITHOUT_NAMESPACES } };
    const pipeline = [{ $match: { _userItemDbId: { $in: ids } } }, { $project: fields }];
    const found = await read<VersionSize & { _userItemDbId: string }>(versionModel.collection, pipeline, options);
    const ofItem = new Map<string, VersionSize[]>(ids.map((id) => [id, []]));
    for (const one of found) ofItem.get(one._userItemDbId)!.push(one);
    return ofItem;
  }

  async function relatedOf(ids: string[], options: RecountOptions) {
    const pipeline = [{ $match: { [IN_ITEM]: { $in: ids } } }, { $group: AMOUNTS }];
    const found = await read<Amount & { _id: string }>(relatedItemModel.collection, pipeline, options);
    return new Map(found.map(({ _id, ...amount }) => [_id, amount]));
  }

  async function relatedCollectionsOf(ids: string[], options: RecountOptions) {
    const pipeline = [{ $match: { _ownerId: { $in: ids } } }, { $group: { _id: '$_ownerId', count: { $sum: 1 } } }];
    const found = await read<{ _id: string; count: number }>(relatedCollectionModel.collection, pipeline, options);
    return new Map(found.map(({ _id, count }) => [_id, count]));
  }

  async function readingBytesOf(ids: string[], options: RecountOptions) {
    const sum = { $group: { _id: '$_tsMetadata._versionId', bytes: { $sum: { $bsonSize: '$$ROOT' } } } };
    const bytes = new Map<string, number>();
    if (ids.length === 0) return bytes;
    for (const { collection } of Object.values(readingModels)) {
      const pipeline = [{ $match: { '_tsMetadata._itemId': { $in: ids } } }, sum];
      for (const one of await read<{ _id: string; bytes: number }>(collection, pipeline, options)) {
        bytes.set(one._id, (bytes.get(one._id) ?? 0) + one.bytes);
      }
    }
    return bytes;
  }

  /** Items with readings in transit: time-series collections do not support transactions. */
  async function unsettledOf(ids: string[], { session }: RecountOptions): Promise<string[]> {
    const ofItems = { _itemId: { $in: ids } };
    const idsIn = (collection: string): Promise<string[]> =>
      mongo.db.collection<{ _itemId: string }>(collection).distinct('_itemId', ofItems, { session });
    const arriving = await idsIn(batchModel.collection);
    return [...new Set([...arriving, ...(await idsIn(removalModel.collection))])];
  }

  const classesIn = (namespace: string, options: RecountOptions) => {
    const byClass = { $group: { _id: '$_itemClass', count: { $sum: 1 } } };
    const pipeline = [{ $match: { _namespaces: namespace } }, byClass];
    return read<{ _id: ItemClass; count: number }>(itemModel.collection, pipeline, options);
  };

  return { classesIn, ownersIn, olderOf, relatedOf, relatedCollectionsOf, readingBytesOf, unsettledOf };
}

/** Recounts the usage of items and everything below them from what is stored. */
export function createRecountSource(mongo: Mongo): RecountSource {
  const sums = createSums(mongo);

  return {
    async ofNamespace(namespace, options) {
      const counts = await sums.classesIn(namespace, options);
      return counts.flatMap(({ _id: _itemClass, count }) =>
        itemUsage({ _id: '', _userItemId: '', _itemClass }).map((one) => changeOf({ ...one, amount: count })),
      );
    },

    async ofOwners(range, options) {
      const owners = await sums.ownersIn(range, options);
      if (owners.reduce((sum, { _versionsCount }) => sum + _versionsCount, 0) > MAX_VERSIONS) return undefined;
      const ids = owners.map(({ _id }) => _id);
      const telemetry = owners.filter(({ _itemClass }) => _itemClass === 'NamedTelemetryCollection');
      const telemetryIds = telemetry.map(({ _id }) => _id);
      const older = await sums.olderOf(ids, options);
      const related = await sums.relatedOf(ids, options);
      const relatedCollections = await sums.relatedCollectionsOf(ids, options);
      const readings = await sums.readingBytesOf(telemetryIds, options);
      const usage = owners.flatMap((owner): Usage[] => [
        ...relatedCollectionUsage(owner, relatedCollections.get(owner._id) ?? 0),
        ...[owner.tip, ...older.get(owner._id)!].flatMap((version) => {
          const [amount, bytes] = [related.get(version._id), readings.get(version._id)];
          return [
            ...versionUsage(owner, version, version.bytes),
            ...(amount ? relatedUsage(owner, version, amount) : []),
            ...(bytes === undefined ? [] : readingUsage(owner, version, bytes)),
          ];
        }),
      ]);
      return { changes: usage.map(changeOf), unsettled: await sums.unsettledOf(telemetryIds, options) };
    },

    endOfRange: (namespace, after) =>
      idAfter(mongo.model(itemModel), { _namespaces: namespace }, { after, count: OWNERS }),
  };
}
