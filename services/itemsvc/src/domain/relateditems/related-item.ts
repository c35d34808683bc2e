import { z } from 'zod';
import { ItemMetadata } from '../item-metadata.js';
import type { ItemClass } from '../nameduseritems/item.js';

const Id = z.string().min(1).max(128);
const Relations = z.array(z.object({ _relatedUserItemDbId: z.string(), _relatedToIds: z.array(z.string()) }));

/** A row of a collection, with any other fields that the caller gave it (docs/contract.md, "File item"). */
export const RelatedItem = z.looseObject({ _id: z.string(), _metadata: ItemMetadata });
export type RelatedItem = z.infer<typeof RelatedItem>;

/** A related item and the version that it belongs to, which callers do not see. */
export const StoredRelatedItem = RelatedItem.extend({ _itemId: z.string(), _versionId: z.string() });
export type StoredRelatedItem = z.infer<typeof StoredRelatedItem>;

const UserItem = z.looseObject({ _related: Relations.optional() });
const TelemetryItem = UserItem.extend({ _sourceId: Id });
const FileItem = UserItem.extend({
  _fileId: Id,
  _fileRepositoryId: z.string().optional(),
  _fileVersionId: z.string().optional(),
  _guid: z.string().optional(),
  filename: z.string().optional(),
  srcId: z.string().optional(),
  aspect: z.string().optional(),
  encoding: z.array(z.string()).optional(),
  contentType: z.string().optional(),
});

/** What a caller says of related items, for each class that has them. */
export const NEW_RELATED_ITEMS: Partial<Record<ItemClass, z.ZodType<NewRelatedItem[]>>> = {
  NamedFileCollection: z.array(FileItem),
  NamedTelemetryCollection: z.array(TelemetryItem),
  NamedUserCollection: z.array(UserItem),
};
export type NewRelatedItem = Record<string, unknown>;

/** Fields that the service sets, whatever a caller sends. */
const OWN_FIELDS = Object.keys(StoredRelatedItem.shape);

/** Makes a related item. File items also have a `_guid`. */
export function newRelatedItem(
  wanted: NewRelatedItem,
  { id, guid, itemClass, metadata }: { id: string; guid: string; itemClass: ItemClass; metadata: ItemMetadata },
): RelatedItem {
  const fields = Object.fromEntries(Object.entries(wanted).filter(([name]) => !OWN_FIELDS.includes(name)));
  const isFile = itemClass === 'NamedFileCollection';
  return { _id: id, ...(isFile ? { _guid: guid } : {}), ...fields, _metadata: metadata };
}
