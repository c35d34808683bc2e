import { defineModel, id, metadataWithoutNames, number, text } from '@dtplatform/mongo';
import type { StoredRelatedCollection } from '../../domain/relatedcollections/related-collection.js';

/** What the versions of composite items relate to themselves. */
export const relatedCollectionModel = defineModel<StoredRelatedCollection>('related_collections', {
  _id: id,
  _ownerId: id,
  _ownerVersionId: id,
  _itemId: id,
  _userItemId: text,
  _userItemVersion: number,
  _userItemVersionId: text,
  _userItemClass: text,
  _metadata: metadataWithoutNames,
});
relatedCollectionModel.schema
  .index({ _ownerId: 1, _ownerVersionId: 1, _id: 1 }, { name: 'owner' })
  // The composite items below an item, from the index alone.
  .index({ _ownerId: 1, _userItemClass: 1, _itemId: 1 }, { name: 'below' })
  // What points at a deleted item or version.
  .index({ _itemId: 1 }, { name: 'item' })
  .index({ _userItemVersionId: 1 }, { name: 'item_version' });
