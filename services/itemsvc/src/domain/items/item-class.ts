/** The kinds of named items. The first four are collections; they may have related items, but for composite items. */
export const ITEM_CLASSES = [
  'NamedCompositeItem',
  'NamedFileCollection',
  'NamedUserCollection',
  'NamedTelemetryCollection',
  'Script',
  'UserConfig',
] as const;
export type ItemClass = (typeof ITEM_CLASSES)[number];

const WITH_RELATED_ITEMS: ReadonlySet<ItemClass> = new Set([
  'NamedFileCollection',
  'NamedUserCollection',
  'NamedTelemetryCollection',
]);

export const hasRelatedItems = (itemClass: ItemClass): boolean => WITH_RELATED_ITEMS.has(itemClass);
