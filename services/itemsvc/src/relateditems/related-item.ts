import { z } from 'zod';
import { ItemMetadata, ProjectedMetadata } from '../nameduseritems/item-metadata.js';
import type { Writing } from '../nameduseritems/item-metadata.js';
import type { ItemClass } from '../nameduseritems/item.js';
import { PLATFORM, withoutPlatform } from '../query/paths.js';

const Id = z.string().min(1).max(128);
const Relations = z.array(
  z.object({
    _relatedUserItemDbId: z.string().describe('The `_id` of the collection that contains the other items.'),
    _relatedToIds: z.array(z.string()).describe('The ids of the other items; their existence is not checked.'),
  }),
);
export type Relations = z.infer<typeof Relations>;

/** A row of a collection, with arbitrary fields of the caller (docs/contract.md, "File items of a file collection"). */
export const RelatedItem = z
  .looseObject({ _id: z.string().describe('The id of the related item.'), _metadata: ItemMetadata })
  .meta({
    id: 'RelatedItem',
    description: 'An item of a collection, with all fields sent by the caller; file items also have a `_guid`.',
  });
export type RelatedItem = z.infer<typeof RelatedItem>;

export const ProjectedRelatedItem = RelatedItem.extend({ _metadata: ProjectedMetadata })
  .partial()
  .meta({ id: 'ProjectedRelatedItem', description: 'An item of a collection, possibly reduced by a projection.' });

export const StoredRelatedItem = RelatedItem.extend({
  [PLATFORM]: z.object({
    itemId: z.string(),
    versionId: z.string(),
    /** Absent before the first change. */
    revision: z.number().optional(),
    indexed: z.record(z.string(), z.unknown()).optional(),
  }),
});
export type StoredRelatedItem = z.infer<typeof StoredRelatedItem>;

/** The fields of a file item; all others are free-form. */
const fileFields = {
  _fileId: Id.describe('The id of a file of the file service, which must exist and which the caller may read.'),
  _fileRepositoryId: z.string().optional().describe('The id of the repository of the file; stored as is.'),
  _fileVersionId: z.string().optional().describe('The id of the version of the file; stored as is.'),
  _guid: z.string().optional().describe('A globally unique id; by default a new one, or that of the item it replaces.'),
  filename: z.string().optional().describe('The name of the file; stored as is.'),
  srcId: z.string().optional().describe('An id of the file at its source; stored as is.'),
  aspect: z.string().optional().describe('A description of the file; stored as is.'),
  encoding: z.array(z.string()).optional().describe('The encodings of the content; stored as is.'),
  contentType: z.string().optional().describe('The media type of the content; stored as is.'),
};
const UserItem = z
  .looseObject({ _related: Relations.optional().describe('The items that this one refers to, by collection.') })
  .meta({ id: 'UserItem', description: 'An item of a user collection. All fields are stored as is.' });
const TelemetryItem = UserItem.extend({
  _sourceId: Id.describe(
    'The id by which readings refer to the item. If several items have the same one, the oldest gets the readings.',
  ),
}).meta({
  id: 'TelemetryItem',
  description: 'An item of a telemetry collection, such as a device. Other fields are stored as is.',
});
const FileItem = UserItem.extend(fileFields).meta({
  id: 'FileItem',
  description: 'An item of a file collection. Other fields are stored as is.',
});
const FileItemReplacement = FileItem.required({ _fileRepositoryId: true }).meta({
  id: 'FileItemReplacement',
  description: 'New values of an item of a file collection. Other fields are stored as is.',
});

export const AnyNewRelatedItem = z.union([FileItem, TelemetryItem, UserItem]);
export const AnyChangedRelatedItem = z.union([FileItemReplacement, TelemetryItem, UserItem]);

/** Request bodies by class of collection. */
export const NEW_RELATED_ITEMS: Partial<Record<ItemClass, z.ZodType<NewRelatedItem[]>>> = {
  NamedFileCollection: z.array(withoutPlatform(FileItem)),
  NamedTelemetryCollection: z.array(withoutPlatform(TelemetryItem)),
  NamedUserCollection: z.array(withoutPlatform(UserItem)),
};
export type NewRelatedItem = Record<string, unknown>;

export const CHANGED_RELATED_ITEMS: Partial<Record<ItemClass, z.ZodType<NewRelatedItem>>> = {
  NamedFileCollection: withoutPlatform(FileItemReplacement),
  NamedTelemetryCollection: withoutPlatform(TelemetryItem),
  NamedUserCollection: withoutPlatform(UserItem),
};

/** The fields that callers may set. */
const freeFieldsOf = ({ _id, _metadata, ...fields }: NewRelatedItem) => fields;

/** File items also get a `_guid`. */
export function newRelatedItem(
  wanted: NewRelatedItem,
  { id, guid, itemClass, metadata }: { id: string; guid: string; itemClass: ItemClass; metadata: ItemMetadata },
): RelatedItem {
  const isFile = itemClass === 'NamedFileCollection';
  return { _id: id, ...(isFile ? { _guid: guid } : {}), ...freeFieldsOf(wanted), _metadata: metadata };
}

/** Replaces the fields of a related item. An absent `_guid` is kept. */
export const changedRelatedItem = (
  before: RelatedItem,
  wanted: NewRelatedItem,
  { byId, at }: Writing,
): RelatedItem => ({
  _id: before._id,
  ...(typeof before._guid === 'string' ? { _guid: before._guid } : {}),
  ...freeFieldsOf(wanted),
  _metadata: { ...before._metadata, _updatedAt: at, _updatedById: byId },
});

export const showRelatedItem = ({ _platform, ...shown }: StoredRelatedItem): RelatedItem => shown;

/** 0 before the first change. */
export const revisionOfRelatedItem = ({ _platform }: StoredRelatedItem): number => _platform.revision ?? 0;
