import { z } from 'zod';
import { booleanParameter, nsfilter, pageOf } from '@dtplatform/http';
import type { ItemClass } from '../../domain/items/item-class.js';
import { Metadata } from '../nameduseritems/nameduseritems.schemas.js';
import { listParameters } from '../list-parameters.js';
import { createdPageOf } from '../replies.js';

const MAX_ENTRIES = 1000;

const Relations = z.array(z.object({ _relatedUserItemDbId: z.string(), _relatedToIds: z.array(z.string()) }));
const Id = z.string().min(1).max(128);

const FileItem = z.looseObject({
  _fileId: Id,
  _fileRepositoryId: z.string().optional(),
  _fileVersionId: z.string().optional(),
  _guid: z.string().optional(),
  filename: z.string().optional(),
  srcId: z.string().optional(),
  aspect: z.string().optional(),
  encoding: z.array(z.string()).optional(),
  contentType: z.string().optional(),
  _related: Relations.optional(),
});
const TelemetryItem = z.looseObject({ _sourceId: Id, _related: Relations.optional() });
const UserItem = z.looseObject({ _related: Relations.optional() });

/** What the related items of a class must be like; undefined when it has none. */
export const ENTRIES_OF: Partial<Record<ItemClass, z.ZodArray>> = {
  NamedFileCollection: z.array(FileItem),
  NamedTelemetryCollection: z.array(TelemetryItem),
  NamedUserCollection: z.array(UserItem),
};

/** Before it is known what the collection holds. */
export const CreateRelatedItemsBody = z.array(z.looseObject({})).min(1).max(MAX_ENTRIES);
export type CreateRelatedItemsBody = z.infer<typeof CreateRelatedItemsBody>;

const RelatedItem = z.looseObject({ _id: z.string(), _metadata: Metadata });
export const CreatedRelatedItems = createdPageOf(RelatedItem);
export const RelatedItemPage = pageOf(RelatedItem.extend({ _metadata: Metadata.partial() }).partial()).extend({
  _includeTotal: z.boolean(),
});

/** The version that related items belong to; the tip when it is not given. */
const userItemVersionId = Id.optional();

export const CreateRelatedItemsQuery = z.object({
  nsfilter,
  transactional: booleanParameter.optional(),
  userItemVersionId,
});
export type CreateRelatedItemsQuery = z.infer<typeof CreateRelatedItemsQuery>;

export const ListRelatedItemsQuery = z.object({ ...listParameters, userItemVersionId });
export type ListRelatedItemsQuery = z.infer<typeof ListRelatedItemsQuery>;
