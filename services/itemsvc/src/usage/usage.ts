import type { Item, ItemClass } from '../nameduseritems/item.js';
import type { Version } from '../versions/version.js';

/** `aliases`: alternative values of the dimensions. */
export interface Usage {
  metric: string;
  dimensions: Record<string, string>;
  aliases: Record<string, string>;
  amount: number;
}

export interface Amount {
  count: number;
  bytes: number;
}

type Named = Pick<Item, '_id' | '_userItemId' | '_itemClass'>;
type Numbered = Pick<Version, '_id' | '_version'>;

const DIMENSION: Record<ItemClass, 'collection' | 'item'> = {
  NamedCompositeItem: 'item',
  NamedFileCollection: 'collection',
  NamedUserCollection: 'collection',
  NamedTelemetryCollection: 'collection',
  Script: 'item',
  UserConfig: 'item',
};

/** The usage of a new item (docs/metrics.md). */
export const itemUsage = (item: Named): Usage[] => [
  { metric: metricOf(item, 'Count'), dimensions: {}, aliases: {}, amount: 1 },
];

export const versionUsage = (item: Named, version: Numbered, bytes: number): Usage[] => [
  { metric: metricOf(item, 'VersionCount'), ...ofItem(item), amount: 1 },
  ...sizeUsage(item, version, bytes),
];

export const versionGrowth = (item: Named, version: Numbered, bytes: number): Usage[] =>
  bytes === 0 ? [] : sizeUsage(item, version, bytes);

/** The size of a version includes its related items. */
export const relatedUsage = (item: Named, version: Numbered, { count, bytes }: Amount): Usage[] => [
  { metric: metricOf(item, 'RelatedItemsCount'), ...ofVersion(item, version), amount: count },
  ...sizeUsage(item, version, bytes),
];

export const relatedCollectionUsage = (item: Named, count: number): Usage[] =>
  count === 0 ? [] : [{ metric: metricOf(item, 'RelatedCollectionCount'), ...ofItem(item), amount: count }];

export const readingUsage = (item: Named, version: Numbered, bytes: number): Usage[] => [
  { metric: metricOf(item, 'TimeSeriesCollectionSize'), ...ofVersion(item, version), amount: bytes },
];

export const negated = (usage: Usage[]): Usage[] => usage.map((one) => ({ ...one, amount: -one.amount }));

const sizeUsage = (item: Named, version: Numbered, bytes: number): Usage[] => [
  { metric: metricOf(item, 'VersionSize'), ...ofVersion(item, version), amount: bytes },
  ...(item._itemClass === 'NamedCompositeItem'
    ? [{ metric: metricOf(item, 'Size'), ...ofItem(item), amount: bytes }]
    : []),
];

const metricOf = (item: Named, what: string) => `dtplatform.itemsvc.${item._itemClass}${what}`;

const ofItem = ({ _id, _userItemId, _itemClass }: Named) => ({
  dimensions: { [DIMENSION[_itemClass]]: _id },
  aliases: { [DIMENSION[_itemClass]]: _userItemId },
});

function ofVersion(item: Named, version: Numbered) {
  const { dimensions, aliases } = ofItem(item);
  return {
    dimensions: { ...dimensions, version: version._id },
    aliases: { ...aliases, version: String(version._version) },
  };
}
