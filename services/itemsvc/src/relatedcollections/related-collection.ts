import { z } from 'zod';
import { ItemMetadata, ProjectedMetadata } from '../nameduseritems/item-metadata.js';
import { ItemClass } from '../nameduseritems/item.js';

/** Per version. */
export const MAX_RELATED_COLLECTIONS = 1000;

/** A relation of a composite item's version to another item (docs/contract.md, "Related collections"). */
export const RelatedCollection = z
  .object({
    _id: z.string().describe('The id of the relation.'),
    _itemId: z.string().describe('The `_id` of the related item.'),
    _userItemId: z.string().describe('The `_userItemId` of the related item.'),
    _userType: z.string().describe('The current type of the related item.'),
    _userItemVersion: z.int().describe('The number of the related version.'),
    _userItemVersionId: z.string().describe('The id of the related version.'),
    _userItemClass: ItemClass.describe('The kind of the related item.'),
    _metadata: ItemMetadata,
  })
  .meta({ id: 'RelatedCollection', description: 'An item related to a version of a composite item.' });
export type RelatedCollection = z.infer<typeof RelatedCollection>;

/** Stored with its owner, and without the type of the related item, which can change. */
export const StoredRelatedCollection = RelatedCollection.omit({ _userType: true }).extend({
  _ownerId: z.string(),
  _ownerVersionId: z.string(),
});
export type StoredRelatedCollection = z.infer<typeof StoredRelatedCollection>;

export const ProjectedRelatedCollection = RelatedCollection.extend({ _metadata: ProjectedMetadata })
  .partial()
  .meta({ id: 'ProjectedRelatedCollection', description: 'A related item, possibly reduced by a projection.' });

const Id = z.string().min(1).max(128).optional();

/** Names an item by either of its ids, and a version, by default the tip. */
export const NewRelatedCollection = z
  .object({
    _itemId: Id.describe('The `_id` of the item to relate; required unless `_userItemId` is sent.'),
    _userItemId: Id.describe(
      'The `_userItemId` of the item to relate; if `_itemId` is sent as well, both must name the same item.',
    ),
    _userItemVersionId: Id.describe('The id of the version to relate; by default the current latest.'),
  })
  .refine(({ _itemId, _userItemId }) => _itemId !== undefined || _userItemId !== undefined, {
    path: ['_itemId'],
    message: 'is required unless _userItemId is sent',
  })
  .meta({ id: 'NewRelatedCollection', description: 'An item to relate, by either of its ids.' });
export type NewRelatedCollection = z.infer<typeof NewRelatedCollection>;
