import { z } from 'zod';
import { ItemMetadata, ProjectedMetadata } from '../item-metadata.js';
import type { Writing } from '../item-metadata.js';
import type { ItemClass } from '../nameduseritems/item.js';

const Id = z.string().min(1).max(128);
const Relations = z.array(
  z.object({
    _relatedUserItemDbId: z.string().describe('The `_id` of the collection that the other items are in.'),
    _relatedToIds: z.array(z.string()).describe('The ids of the other items; nothing checks that they exist.'),
  }),
);
export type Relations = z.infer<typeof Relations>;

/** A row of a collection, with any other fields that the caller gave it (docs/contract.md, "File item"). */
export const RelatedItem = z
  .looseObject({ _id: z.string().describe('The id of the related item.'), _metadata: ItemMetadata })
  .meta({
    id: 'RelatedItem',
    description: 'An item of a collection, with all fields that the caller gave it; file items also have a `_guid`.',
  });
export type RelatedItem = z.infer<typeof RelatedItem>;

export const ProjectedRelatedItem = RelatedItem.extend({ _metadata: ProjectedMetadata })
  .partial()
  .meta({ id: 'ProjectedRelatedItem', description: 'An item of a collection, or what a projection leaves of it.' });

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

/** What callers send as a file item, besides fields of their own that are stored as they are. */
const fileFields = {
  _fileId: Id.describe('The id of a file of the file service, which must exist and which the caller may read.'),
  _fileRepositoryId: z.string().optional().describe('The id of the repository of the file; stored as it is.'),
  _fileVersionId: z.string().optional().describe('The id of the version of the file; stored as it is.'),
  _guid: z.string().optional().describe('A globally unique id; by default a new one, or that of the item it replaces.'),
  filename: z.string().optional().describe('The name of the file; stored as it is.'),
  srcId: z.string().optional().describe('An id of the file at its source; stored as it is.'),
  aspect: z.string().optional().describe('What the file is about; stored as it is.'),
  encoding: z.array(z.string()).optional().describe('The encodings of the content; stored as they are.'),
  contentType: z.string().optional().describe('The media type of the content; stored as it is.'),
};
const UserItem = z
  .looseObject({ _related: Relations.optional().describe('The items that this one names, by collection.') })
  .meta({ id: 'UserItem', description: 'An item of a user collection. All fields are stored as they are.' });
const TelemetryItem = UserItem.extend({
  _sourceId: Id.describe('The id by which readings name the item; of several with the same, the oldest gets them.'),
}).meta({
  id: 'TelemetryItem',
  description: 'An item of a telemetry collection, such as a device. Further fields are stored as they are.',
});
const FileItem = UserItem.extend(fileFields).meta({
  id: 'FileItem',
  description: 'An item of a file collection. Further fields are stored as they are.',
});
const FileItemReplacement = FileItem.required({ _fileRepositoryId: true }).meta({
  id: 'FileItemReplacement',
  description: 'New values of an item of a file collection. Further fields are stored as they are.',
});

/** What callers send, by the class of the collection. */
export const AnyNewRelatedItem = z.union([FileItem, TelemetryItem, UserItem]);
export const AnyChangedRelatedItem = z.union([FileItemReplacement, TelemetryItem, UserItem]);

/** What a caller says of related items, for each class that has them. */
export const NEW_RELATED_ITEMS: Partial<Record<ItemClass, z.ZodType<NewRelatedItem[]>>> = {
  NamedFileCollection: z.array(FileItem),
  NamedTelemetryCollection: z.array(TelemetryItem),
  NamedUserCollection: z.array(UserItem),
};
export type NewRelatedItem = Record<string, unknown>;

/** What replaces a related item, for each class that has them. */
export const CHANGED_RELATED_ITEMS: Partial<Record<ItemClass, z.ZodType<NewRelatedItem>>> = {
  NamedFileCollection: FileItemReplacement,
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
