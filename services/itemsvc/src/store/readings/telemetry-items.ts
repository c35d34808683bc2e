import { onePage } from '@dtplatform/mongo';
import type { Mongo } from '@dtplatform/mongo';
import type {
  KnownTelemetryItems,
  ReadingOwner,
  TelemetryItem,
  WantedTelemetryItems,
} from '../../domain/readings/ports.js';
import { IN_ITEM, IN_VERSION, relatedItemModel } from '../relateditems/related-item.model.js';

/** Ids of one query: far fewer bytes than a command and a reply may have. */
const MAX_IDS = 10_000;
/** By their source ids: the oldest of each, chosen where they are stored, as there may be many large ones. */
const OLDEST = [
  { $group: { _id: '$_sourceId', oldest: { $top: { sortBy: { _id: 1 }, output: '$$ROOT' } } } },
  { $replaceWith: '$oldest' },
];

/** See `ReadingStore`. */
export async function findTelemetryItems(
  mongo: Mongo,
  { item, version }: ReadingOwner,
  { ids, sourceIds, fields = [] }: WantedTelemetryItems,
): Promise<KnownTelemetryItems> {
  const { collection } = mongo.model(relatedItemModel);
  const $project = Object.fromEntries(['_id', '_sourceId', ...fields].map((name) => [name, 1]));

  async function find(path: '_id' | '_sourceId', values: string[], choose: object[] = []) {
    const found = new Map<string, TelemetryItem>();
    for (let from = 0; from < values.length; from += MAX_IDS) {
      const some = values.slice(from, from + MAX_IDS);
      const $match = { [IN_ITEM]: item._id, [IN_VERSION]: version._id, [path]: { $in: some } };
      const page = await onePage<TelemetryItem>(collection, [{ $match }, { $project }, ...choose], some.length);
      for (const one of page) found.set(one[path], one);
    }
    return found;
  }

  return { byId: await find('_id', ids), bySourceId: await find('_sourceId', sourceIds, OLDEST) };
}
