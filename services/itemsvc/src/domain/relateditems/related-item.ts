import { z } from 'zod';
import { ItemMetadata } from '../item-metadata.js';
import type { Writing } from '../item-metadata.js';
import type { ItemClass } from '../nameduseritems/item.js';

const Id = z.string().min(1).max(128);
/** The related items that one names, by collection. */
const Relations = z.array(z.object({ _relatedUserItemDbId: z.string(), _relatedToIds: z.array(z.string()) }));
export type Relations = z.infer<typeof Relations>;

/** A row of a collection, with any other fields that the caller gave it (docs/contract.md, "File item"). */
export const RelatedItem = z.looseObject({ _id: z.string(), _metadata: ItemMetadata });
export type RelatedItem = z.infer<typeof RelatedItem>;

/** A related item with its revision: absent until it is changed for the first time. */
export const RevisedRelatedItem = RelatedItem.extend({ _revision: z.number().optional() });
export type RevisedRelatedItem = z.infer<typeof RevisedRelatedItem>;

/** A related item and the version that it belongs to, which callers do not see. */
export const StoredRelatedItem = RevisedRelatedItem.extend({
  _itemId: z.string(),
  _versionId: z.string(),
  /** What indexes see of it. */
  _indexed: z.record(z.string(), z.unknown()).optional(),
});
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

/** What replaces a related item, for each class that has them. */
export const CHANGED_RELATED_ITEMS: Partial<Record<ItemClass, z.ZodType<NewRelatedItem>>> = {
  NamedFileCollection: FileItem.required({ _fileRepositoryId: true }),
  NamedTelemetryCollection: TelemetryItem,
  NamedUserCollection: UserItem,
};

/**
 * Fields that the service sets, whatever a caller sends. With the last one, a related item could choose the language of its
 * texts for the database's index; one that the database does not know would be an error.
 */
const OWN_FIELDS = new Set([...Object.keys(StoredRelatedItem.shape), '_indexedLanguage']);

const ownFieldsOf = (wanted: NewRelatedItem) =>
  Object.fromEntries(Object.entries(wanted).filter(([name]) => !OWN_FIELDS.has(name)));

/** Makes a related item. File items also have a `_guid`. */
export function newRelatedItem(
  wanted: NewRelatedItem,
  { id, guid, itemClass, metadata }: { id: string; guid: string; itemClass: ItemClass; metadata: ItemMetadata },
): RelatedItem {
  const isFile = itemClass === 'NamedFileCollection';
  return { _id: id, ...(isFile ? { _guid: guid } : {}), ...ownFieldsOf(wanted), _metadata: metadata };
}

/** What a related item becomes when its fields are replaced. A `_guid` that is not given stays. */
export const changedRelatedItem = (
  before: RelatedItem,
  wanted: NewRelatedItem,
  { byId, at }: Writing,
): RelatedItem => ({
  _id: before._id,
  ...(typeof before._guid === 'string' ? { _guid: before._guid } : {}),
  ...ownFieldsOf(wanted),
  _metadata: { ...before._metadata, _updatedAt: at, _updatedById: byId },
});

/** A related item as callers see it. */
export const showRelatedItem = ({ _revision, ...shown }: RevisedRelatedItem): RelatedItem => shown;

/** 0 before the first change. Earlier versions stored a caller's own field of this name, which is no revision. */
export const revisionOfRelatedItem = ({ _revision }: { _revision?: unknown }): number =>
  typeof _revision === 'number' && Number.isSafeInteger(_revision) && _revision >= 0 ? _revision : 0;
