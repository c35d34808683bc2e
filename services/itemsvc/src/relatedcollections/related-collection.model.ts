import { modelOf } from '@dtplatform/mongo';
import { StoredRelatedCollection } from './related-collection.js';

/** The relations of composite items to others, by version. */
export const relatedCollectionModel = modelOf('related_collections', StoredRelatedCollection, {
  indexes: [
    { key: { _ownerId: 1, _ownerVersionId: 1, _id: 1 }, name: 'owner' },
    // Composite items below an item, covered by the index.
    { key: { _ownerId: 1, _userItemClass: 1, _itemId: 1 }, name: 'below' },
    // Relations to a deleted item or version.
    { key: { _itemId: 1 }, name: 'item' },
    { key: { _userItemVersionId: 1 }, name: 'item_version' },
  ],
});
