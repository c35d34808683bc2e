import { usageRecorded } from '@dtplatform/contracts';
import type { ClientSession, Filter, Mongo } from '@dtplatform/mongo';
import { createTotals, defineMessage } from '@dtplatform/queue';
import type { Delta, Outbox } from '@dtplatform/queue';
import type { Item, ItemClass } from '../nameduseritems/item.js';
import { PLATFORM } from '../query/paths.js';
import { bytesOfReadings } from '../readings/readings.model.js';
import { relatedCollectionModel } from '../relatedcollections/related-collection.model.js';
import { IN_ITEM, IN_VERSION, relatedItemModel } from '../relateditems/related-item.model.js';
import type { Version } from '../versions/version.js';
import { bytesOfVersion, versionModel } from '../versions/version.model.js';
import type { VersionOf } from '../versions/versions.js';
import { itemUsage, readingUsage, relatedCollectionUsage, relatedUsage, versionUsage } from './usage.js';
import type { Amount, Usage } from './usage.js';

/** Totals per namespace: of all items, and of each class. */
export const ITEM_TOTAL_KEY = 'nameduseritem';
export const classTotalKey = (itemClass: ItemClass | (string & {})) => `${ITEM_TOTAL_KEY}:${itemClass}`;

export interface NamespaceUsage {
  namespace: string;
  usage: Usage[];
  deltas?: Delta[];
}

/** The same usage in each namespace. Deltas have no namespace and count once. */
export const inEach = (namespaces: string[], usage: Usage[], deltas: Delta[] = []): NamespaceUsage[] =>
  namespaces.map((namespace, index) => ({ namespace, usage, deltas: index === 0 ? deltas : [] }));

const message = defineMessage(usageRecorded);
const MAX_CHANGES = 1000;

/** Records usage in the write's transaction. */
export function createUsageOutbox(outbox: Outbox) {
  return {
    async record(session: ClientSession, writes: NamespaceUsage[]): Promise<void> {
      const at = Date.now();
      const messages = [...byNamespace(writes)].flatMap(([namespace, { usage, deltas }]) =>
        chunked(usage).map((changes, index) => ({
          payload: { _namespace: namespace, _at: at, _changes: changes.map(changeOf) },
          deltas: index === 0 ? deltas : [],
        })),
      );
      await outbox.putMany(session, message, messages);
    },
  };
}

export const itemDeltas = (namespace: string, itemClass: ItemClass, amount: 1 | -1): Delta[] =>
  [ITEM_TOTAL_KEY, classTotalKey(itemClass)].map((key) => ({ key, namespace, amount }));

function byNamespace(writes: NamespaceUsage[]): Map<string, { usage: Usage[]; deltas: Delta[] }> {
  const joined = new Map<string, { usage: Usage[]; deltas: Delta[] }>();
  for (const { namespace, usage, deltas = [] } of writes) {
    const known = joined.get(namespace) ?? { usage: [], deltas: [] };
    joined.set(namespace, known);
    known.usage.push(...usage);
    known.deltas.push(...deltas);
  }
  return joined;
}

function chunked(usage: Usage[]): Usage[][] {
  const chunks: Usage[][] = [];
  for (let start = 0; start < usage.length; start += MAX_CHANGES) chunks.push(usage.slice(start, start + MAX_CHANGES));
  return chunks;
}

export const changeOf = ({ metric, dimensions, aliases, amount }: Usage) => ({
  _metric: metric,
  _dimensions: dimensions,
  _aliases: aliases,
  _amount: amount,
});

/** The usage of an item, its versions and their related items, in the transaction's snapshot. */
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

/** Older versions are stored with their item's namespaces, which do not count. */
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

/** Undefined if there are none. */
export const relatedAmountOf = async (mongo: Mongo, { itemId, versionId }: VersionOf, session: ClientSession) =>
  (await relatedAmounts(mongo, { [IN_ITEM]: itemId, [IN_VERSION]: versionId }, session)).get(versionId);

/** Count and size, in the form that callers see, by version. */
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
