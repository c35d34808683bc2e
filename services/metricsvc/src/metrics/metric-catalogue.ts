import { z } from 'zod';

const DimensionValue = z.string().min(1).max(256).optional();
const NARROWS = 'ignored for metrics without this dimension.';

/** Dimensions that narrow a metric within its namespace. */
export const Dimensions = z.object({
  file_id: DimensionValue.describe(`Count only the file with this id; ${NARROWS}`),
  collection: DimensionValue.describe(`Count only the collection with this \`_id\` or \`_userItemId\`; ${NARROWS}`),
  item: DimensionValue.describe(`Count only the item with this \`_id\` or \`_userItemId\`; ${NARROWS}`),
  version: DimensionValue.describe(
    'Count only the version with this id or number; requires the file, collection or item that it belongs to, otherwise the response has no points.',
  ),
});
export type Dimensions = z.infer<typeof Dimensions>;
type Dimension = keyof Dimensions;

const NONE: readonly Dimension[] = [];
const FILE: readonly Dimension[] = ['file_id'];
const FILE_VERSION: readonly Dimension[] = ['file_id', 'version'];
const COLLECTION: readonly Dimension[] = ['collection'];
const COLLECTION_VERSION: readonly Dimension[] = ['collection', 'version'];
const ITEM: readonly Dimension[] = ['item'];
const ITEM_VERSION: readonly Dimension[] = ['item', 'version'];

/**
 * All metrics with their dimensions, widest first: a value is only meaningful together with the preceding ones. To add
 * a metric, add a line (docs/contract.md, "Metrics").
 */
export const METRICS = {
  'dtplatform.filesvc.FileCount': NONE,
  'dtplatform.filesvc.FileVersionCount': FILE,
  'dtplatform.filesvc.FileVersionSize': FILE_VERSION,
  'dtplatform.filesvc.PreviewImageFileSize': FILE_VERSION,
  'dtplatform.filesvc.FileCount.graphics': NONE,
  'dtplatform.filesvc.FileVersionCount.graphics': FILE,
  'dtplatform.filesvc.FileVersionSize.graphics': FILE_VERSION,
  'dtplatform.itemsvc.NamedUserCollectionCount': NONE,
  'dtplatform.itemsvc.NamedUserCollectionVersionCount': COLLECTION,
  'dtplatform.itemsvc.NamedUserCollectionVersionSize': COLLECTION_VERSION,
  'dtplatform.itemsvc.NamedUserCollectionRelatedItemsCount': COLLECTION_VERSION,
  'dtplatform.itemsvc.NamedFileCollectionCount': NONE,
  'dtplatform.itemsvc.NamedFileCollectionVersionCount': COLLECTION,
  'dtplatform.itemsvc.NamedFileCollectionVersionSize': COLLECTION_VERSION,
  'dtplatform.itemsvc.NamedFileCollectionRelatedItemsCount': COLLECTION_VERSION,
  'dtplatform.itemsvc.NamedTelemetryCollectionCount': NONE,
  'dtplatform.itemsvc.NamedTelemetryCollectionVersionCount': COLLECTION,
  'dtplatform.itemsvc.NamedTelemetryCollectionVersionSize': COLLECTION_VERSION,
  'dtplatform.itemsvc.NamedTelemetryCollectionRelatedItemsCount': COLLECTION_VERSION,
  'dtplatform.itemsvc.NamedTelemetryCollectionTimeSeriesCollectionSize': COLLECTION_VERSION,
  'dtplatform.itemsvc.ScriptCount': NONE,
  'dtplatform.itemsvc.ScriptVersionCount': ITEM,
  'dtplatform.itemsvc.ScriptVersionSize': ITEM_VERSION,
  'dtplatform.itemsvc.UserConfigCount': NONE,
  'dtplatform.itemsvc.UserConfigVersionCount': ITEM,
  'dtplatform.itemsvc.UserConfigVersionSize': ITEM_VERSION,
  'dtplatform.itemsvc.NamedCompositeItemCount': NONE,
  'dtplatform.itemsvc.NamedCompositeItemVersionCount': ITEM,
  'dtplatform.itemsvc.NamedCompositeItemSize': ITEM,
  'dtplatform.itemsvc.NamedCompositeItemVersionSize': ITEM_VERSION,
  'dtplatform.itemsvc.NamedCompositeItemRelatedCollectionCount': ITEM,
  'dtplatform.passportsvc.WorkspaceCount': NONE,
} as const satisfies Record<string, readonly Dimension[]>;

export type MetricName = keyof typeof METRICS;
export const METRIC_NAMES = Object.keys(METRICS) as MetricName[];

export const isMetric = (name: string): name is MetricName => Object.hasOwn(METRICS, name);
