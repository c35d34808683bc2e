import type { ItemClass } from '../items/item-class.js';
import type { ItemMetadata } from '../items/item.js';

/** A row of a collection, with any other fields that the caller gave it (docs/contract.md, "File item"). */
export interface RelatedItem {
  _id: string;
  _metadata: ItemMetadata;
  [field: string]: unknown;
}

/** What a caller says of a related item. */
export type RelatedItemDraft = Record<string, unknown>;

/** Fields that are set here, whatever a caller sends. */
const OWN_FIELDS = ['_id', '_itemId', '_versionId', '_metadata'];

/** Makes a related item. File items also have a `_guid`. */
export function newRelatedItem(
  draft: RelatedItemDraft,
  { id, guid, itemClass, metadata }: { id: string; guid: string; itemClass: ItemClass; metadata: ItemMetadata },
): RelatedItem {
  const fields = Object.fromEntries(Object.entries(draft).filter(([name]) => !OWN_FIELDS.includes(name)));
  const isFile = itemClass === 'NamedFileCollection';
  return { _id: id, ...(isFile ? { _guid: guid } : {}), ...fields, _metadata: metadata };
}
