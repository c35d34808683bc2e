import { modelOf } from '@dtplatform/mongo';
import { StoredRelatedCollection } from './related-collection.js';

/** What the versions of composite items relate to themselves. */
export const relatedCollectionModel = modelOf('related_collections', StoredRelatedCollection, {
  indexes: [
    { key: { _ownerId: 1, _ownerVersionId: 1, _id: 1 }, name: 'owner' },
    // The composite items below an item, from the index alone.
    { key: { _ownerId: 1, _userItemClass: 1, _itemId: 1 }, name: 'below' },
    // What points at a deleted item or version.
    { key: { _itemId: 1 }, name: 'item' },
    { key: { _userItemVersionId: 1 }, name: 'item_version' },
  ],
});
