import { BSON } from 'mongodb';
import type { ClientSession } from 'mongodb';
import { errors } from '../errors.js';
import type { Item, Version } from '../domain/items/item.js';
import { itemUsage, relatedUsage, versionUsage } from '../domain/items/usage.js';
import type { Amount, Usage } from '../domain/items/usage.js';
import type { Collections } from './collections.js';

/** An item with its tip, and the messages of a write, must stay below the database's 16 MiB for one document. */
const MAX_VERSION_BYTES = 8 * 1024 * 1024;

/** Size of a version in bytes (docs/contract.md, "Metrics of items"). */
export const bytesOfVersion = (version: Version): number => BSON.calculateObjectSize(version);

export function checkSize(version: Version): void {
  if (bytesOfVersion(version) > MAX_VERSION_BYTES) throw errors.versionTooLarge();
}

/** All that the metrics count of an item: itself, its versions and what is in them. As of the transaction's snapshot. */
export async function holdingsOf(collections: Collections, item: Item, session: ClientSession): Promise<Usage[]> {
  const older = await olderSizes(collections, item._id, session);
  const tip = { _id: item._tip._id, _version: item._tip._version, bytes: bytesOfVersion(item._tip) };
  const related = await relatedAmounts(collections, item._id, session);
  return [
    ...itemUsage(item),
    ...[tip, ...older].flatMap((version) => {
      const amount = related.get(version._id);
      return [...versionUsage(item, version, version.bytes), ...(amount ? relatedUsage(item, version, amount) : [])];
    }),
  ];
}

type VersionSize = Pick<Version, '_id' | '_version'> & { bytes: number };

/** The namespaces that an older version is stored with are not a part of it. */
const olderSizes = ({ versions }: Collections, itemId: string, session: ClientSession) =>
  versions
    .aggregate<VersionSize>(
      [
        { $match: { _userItemDbId: itemId } },
        {
          $project: {
            _version: 1,
            bytes: { $bsonSize: { $unsetField: { field: '_namespaces', input: '$$ROOT' } } },
          },
        },
      ],
      { session },
    )
    .toArray();

async function relatedAmounts({ relatedItems }: Collections, itemId: string, session: ClientSession) {
  const amounts = await relatedItems
    .aggregate<Amount & { _id: string }>(
      [
        { $match: { _itemId: itemId } },
        { $group: { _id: '$_versionId', count: { $sum: 1 }, bytes: { $sum: { $bsonSize: '$$ROOT' } } } },
      ],
      { session },
    )
    .toArray();
  return new Map(amounts.map(({ _id, ...amount }) => [_id, amount]));
}
