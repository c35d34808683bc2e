import type { ClientSession, Filter, Mongo } from '@dtplatform/mongo';
import { createTotals } from '@dtplatform/queue';
import type { Item } from '../../domain/nameduseritems/item.js';
import {
  itemUsage,
  readingUsage,
  relatedCollectionUsage,
  relatedUsage,
  versionUsage,
} from '../../domain/nameduseritems/usage.js';
import type { Amount, Usage } from '../../domain/nameduseritems/usage.js';
import { PLATFORM } from '../../domain/platform.js';
import type { VersionOf } from '../../domain/versions/ports.js';
import type { Version } from '../../domain/versions/version.js';
import { bytesOfVersion } from '../document-size.js';
import { relatedCollectionModel } from '../relatedcollections/related-collection.model.js';
import { bytesOfReadings } from '../readings/reading-totals.js';
import { IN_ITEM, IN_VERSION, relatedItemModel } from '../relateditems/related-item.model.js';
import { versionModel } from '../versions/version.model.js';

/** All that the metrics count of an item: itself, its versions and their related items, in the transaction's snapshot. */
export async function storedUsageOf(mongo: Mongo, item: Item, session: ClientSession): Promise<Usage[]> {
  const older = await olderSizes(mongo, item._id, session);
  const tip = { _id: item._tip._id, _version: item._tip._version, bytes: bytesOfVersion(item._tip) };
  const related = await relatedAmounts(mongo, { [IN_ITEM]: item._id }, session);
  const versions = [tip, ...older];
  const readings = await readingUsageOf(mongo, item, versions, session);
  const relatedCollections = await countRelatedCollections(mongo, item, session);
  return [
    ...itemUsage(item),
    ...relatedCollectionUsage(item, relatedCollections),
    ...readings,
    ...versions.flatMap((version) => {
      const amount = related.get(version._id);
      return [...versionUsage(item, version, version.bytes), ...(amount ? relatedUsage(item, version, amount) : [])];
    }),
  ];
}

/** What the metrics count of the readings in versions of an item. */
export async function readingUsageOf(
  mongo: Mongo,
  item: Item,
  versions: Pick<Version, '_id' | '_version'>[],
  session: ClientSession,
): Promise<Usage[]> {
  if (item._itemClass !== 'NamedTelemetryCollection') return [];
  const ids = versions.map(({ _id }) => _id);
  const bytes = await bytesOfReadings(createTotals(mongo), ids, session);
  return versions.flatMap((version) => {
    const amount = bytes.get(version._id) ?? 0;
    return amount === 0 ? [] : readingUsage(item, version, amount);
  });
}

type VersionSize = Pick<Version, '_id' | '_version'> & { bytes: number };

/** The namespaces that an older version is stored with are not a part of it. */
export const WITHOUT_NAMESPACES = { $unsetField: { field: '_namespaces', input: '$$ROOT' } };

const olderSizes = (mongo: Mongo, itemId: string, session: ClientSession) =>
  mongo
    .model(versionModel)
    .aggregate<VersionSize>([
      { $match: { _userItemDbId: itemId } },
      {
        $project: {
          _version: 1,
          bytes: { $bsonSize: WITHOUT_NAMESPACES },
        },
      },
    ])
    .session(session);

const countRelatedCollections = async (mongo: Mongo, { _id, _itemClass }: Item, session: ClientSession) =>
  _itemClass === 'NamedCompositeItem'
    ? mongo.model(relatedCollectionModel).countDocuments({ _ownerId: _id }).session(session)
    : 0;

/** The related items of one version; undefined when there are none. */
export const relatedAmountOf = async (mongo: Mongo, { itemId, versionId }: VersionOf, session: ClientSession) =>
  (await relatedAmounts(mongo, { [IN_ITEM]: itemId, [IN_VERSION]: versionId }, session)).get(versionId);

/** How many related items a version has, and how large they are as callers see them. */
export const AMOUNTS = {
  _id: `$${IN_VERSION}`,
  count: { $sum: 1 },
  bytes: { $sum: { $bsonSize: { $unsetField: { field: PLATFORM, input: '$$ROOT' } } } },
};

async function relatedAmounts(mongo: Mongo, filter: Filter, session: ClientSession) {
  const amounts = await mongo
    .model(relatedItemModel)
    .aggregate<Amount & { _id: string }>([{ $match: filter }, { $group: AMOUNTS }])
    .session(session);
  return new Map(amounts.map(({ _id, ...amount }) => [_id, amount]));
}
