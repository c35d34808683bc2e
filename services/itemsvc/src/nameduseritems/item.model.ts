import { modelOf } from '@dtplatform/mongo';
import { Item } from './item.js';

export const itemModel = modelOf('items', Item, {
  // Lists sort by `_id` unless the caller sorts, so it ends the indexes that serve them.
  indexes: [
    { key: { _userItemId: 1 }, name: 'user_item_id', unique: true },
    { key: { _namespaces: 1, _id: 1 }, name: 'namespace' },
    { key: { _namespaces: 1, _itemClass: 1, _id: 1 }, name: 'class' },
    { key: { _namespaces: 1, _userType: 1, _id: 1 }, name: 'user_type' },
    { key: { _namespaces: 1, _name: 1, _id: 1 }, name: 'name' },
    { key: { '_tip._userAttributes.$**': 1 }, name: 'attributes' },
  ],
});
