import { z } from 'zod';
import { ItemMetadata } from '../item-metadata.js';
import { ItemClass } from '../nameduseritems/item.js';

/** How many a version has at most. */
export const MAX_RELATED_COLLECTIONS = 1000;

/** An item that a version of a composite item relates to itself (docs/contract.md, "Related collection"). */
export const RelatedCollection = z.object({
  _id: z.string(),
  _itemId: z.string(),
  _userItemId: z.string(),
  _userType: z.string(),
  _userItemVersion: z.number(),
  _userItemVersionId: z.string(),
  _userItemClass: ItemClass,
  _metadata: ItemMetadata,
});
export type RelatedCollection = z.infer<typeof RelatedCollection>;

/** As it is stored: with the version that it belongs to, and without the type of the related item, which can change. */
export const StoredRelatedCollection = RelatedCollection.omit({ _userType: true }).extend({
  _ownerId: z.string(),
  _ownerVersionId: z.string(),
});
export type StoredRelatedCollection = z.infer<typeof StoredRelatedCollection>;

/** What a projection leaves of it. */
export const ProjectedRelatedCollection = RelatedCollection.extend({ _metadata: ItemMetadata.partial() }).partial();

const Id = z.string().min(1).max(128).optional();

/** Names an item by either of its ids, and one of its versions, by default the tip. */
export const NewRelatedCollection = z
  .object({ _itemId: Id, _userItemId: Id, _userItemVersionId: Id })
  .refine(({ _itemId, _userItemId }) => _itemId !== undefined || _userItemId !== undefined, {
    path: ['_itemId'],
    message: 'is required, or _userItemId',
  });
export type NewRelatedCollection = z.infer<typeof NewRelatedCollection>;
