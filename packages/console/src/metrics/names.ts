import type { MessageKey } from '../messages/en';

type Unit = 'bytes' | 'count';

interface Metric {
  key: MessageKey;
  /** What the versions or sizes are those of. */
  what?: MessageKey;
  unit: Unit;
  /** Whether other metrics contain the same bytes, so that sums leave it out. */
  isRepeated?: true;
}

const count = (key: MessageKey): Metric => ({ key, unit: 'count' });
const bytes = (key: MessageKey): Metric => ({ key, unit: 'bytes' });

/** The readable name and the unit of each metric, by its name without the prefix. */
const METRICS: Record<string, Metric> = {
  ...ofVersions('filesvc.File', 'files.title'),
  ...ofVersions('filesvc.File', 'metrics.graphics', '.graphics'),
  'filesvc.PreviewImageFileSize': bytes('metrics.previewSize'),
  ...ofVersions('itemsvc.NamedUserCollection', 'metrics.userCollections'),
  ...ofVersions('itemsvc.NamedFileCollection', 'metrics.fileCollections'),
  ...ofVersions('itemsvc.NamedTelemetryCollection', 'metrics.telemetryCollections'),
  ...ofVersions('itemsvc.Script', 'metrics.scripts'),
  ...ofVersions('itemsvc.UserConfig', 'metrics.userConfigs'),
  ...ofVersions('itemsvc.NamedCompositeItem', 'metrics.composites'),
  'itemsvc.NamedUserCollectionRelatedItemsCount': count('metrics.userCollectionsItems'),
  'itemsvc.NamedFileCollectionRelatedItemsCount': count('metrics.fileCollectionsItems'),
  'itemsvc.NamedTelemetryCollectionRelatedItemsCount': count('metrics.sources'),
  'itemsvc.NamedTelemetryCollectionTimeSeriesCollectionSize': bytes('metrics.readingsSize'),
  'itemsvc.NamedCompositeItemSize': { ...bytes('metrics.compositesTotalSize'), isRepeated: true },
  'itemsvc.NamedCompositeItemRelatedCollectionCount': count('metrics.compositesCollections'),
  'passportsvc.WorkspaceCount': count('workspaces.title'),
};

/** Things with versions: their number, that of their versions, and the size of these. */
function ofVersions(name: string, what: MessageKey, suffix = ''): Record<string, Metric> {
  return {
    [`${name}Count${suffix}`]: count(what),
    [`${name}VersionCount${suffix}`]: { ...count('metrics.versionsOf'), what },
    [`${name}VersionSize${suffix}`]: { ...bytes('metrics.sizeOf'), what },
  };
}

/** What is known about a metric; undefined for one that this console does not know. */
export const metricOf = (name: string): Metric | undefined => METRICS[name.replace('dtplatform.', '')];

/** Whether a metric is worth a place in an overview: other numbers do not contain it, and it can vary. */
export const isMain = (name: string): boolean =>
  !/VersionCount|WorkspaceCount|NamedCompositeItemSize|\.graphics$/.test(name);
